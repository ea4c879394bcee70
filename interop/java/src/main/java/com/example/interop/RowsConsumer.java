package com.example.interop;

import java.util.HashMap;
import java.util.Map;
import org.apache.dubbo.config.ReferenceConfig;
import org.apache.dubbo.rpc.RpcContext;
import org.apache.dubbo.rpc.RpcException;

/** Answers {@link Rows} with the provider that took the call; "none" stands for a call without a provider. */
public final class RowsConsumer {
    private RowsConsumer() {
    }

    @SuppressWarnings("unchecked")
    public static void main(String[] args) {
        Rows rows = new Rows();
        Map<String, RowsService> services = new HashMap<>();
        for (Map<String, Object> s : rows.list("services")) {
            ReferenceConfig<RowsService> reference = Rows.reference(RowsService.class, s);
            reference.setLoadbalance((String) s.get("loadbalance"));
            reference.setParameters((Map<String, String>) s.get("parameters"));
            services.put((String) s.get("version"), reference.get());
        }
        rows.answer(row -> call(services.get((String) row.get("version")), row));
    }

    @SuppressWarnings("unchecked")
    private static String call(RowsService s, Map<String, Object> row) {
        Map<String, String> attachments = (Map<String, String>) row.get("attachments");
        RpcContext.getContext().clearAttachments();
        if (attachments != null) {
            for (Map.Entry<String, String> a : attachments.entrySet()) {
                RpcContext.getContext().setAttachment(a.getKey(), a.getValue());
            }
        }
        String argument = (String) row.get("argument");
        try {
            switch ((String) row.get("method")) {
                case "get":
                    return s.get(argument);
                case "put":
                    return s.put(argument, 5);
                case "find":
                    return s.find(argument);
                default:
                    return s.list();
            }
        } catch (RpcException e) {
            // 4: the registry says that there is none; 6: the routers left none.
            return e.getCode() == 4 || e.getCode() == 6 ? "none" : "error: " + e.getMessage();
        }
    }
}
