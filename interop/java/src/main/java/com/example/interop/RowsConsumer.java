package com.example.interop;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.dubbo.config.ApplicationConfig;
import org.apache.dubbo.config.ReferenceConfig;
import org.apache.dubbo.config.RegistryConfig;
import org.apache.dubbo.config.bootstrap.DubboBootstrap;
import org.apache.dubbo.rpc.RpcContext;
import org.apache.dubbo.rpc.RpcException;
import org.yaml.snakeyaml.Yaml;

/**
 * Reads services and rows as JSON from standard input, makes the calls of each row, and prints one JSON line a row with
 * the providers that answered; "none" stands for a call without a provider. System properties: registry, application.
 */
public final class RowsConsumer {
    private RowsConsumer() {
    }

    @SuppressWarnings("unchecked")
    public static void main(String[] args) throws Exception {
        Map<String, Object> input = new Yaml().load(System.in); // JSON is YAML
        ApplicationConfig app = new ApplicationConfig(System.getProperty("application"));
        app.setQosEnable(false);
        RegistryConfig registry = new RegistryConfig(System.getProperty("registry"));
        registry.setTimeout(20000);
        // A 3.x consumer reads rule documents only when its application knows the registry.
        DubboBootstrap.getInstance().application(app).registry(registry);
        Map<String, RowsService> services = new HashMap<>();
        for (Map<String, Object> s : (List<Map<String, Object>>) input.get("services")) {
            ReferenceConfig<RowsService> reference = new ReferenceConfig<>();
            reference.setInterface(RowsService.class);
            reference.setVersion((String) s.get("version"));
            reference.setLoadbalance((String) s.get("loadbalance"));
            reference.setParameters((Map<String, String>) s.get("parameters"));
            reference.setTimeout(5000);
            reference.setRetries(0);
            reference.setCheck(false);
            services.put((String) s.get("version"), reference.get());
        }
        for (Map<String, Object> row : (List<Map<String, Object>>) input.get("rows")) {
            Set<String> chosen = new TreeSet<>();
            for (int i = 0; i < (Integer) row.get("calls"); i++) {
                chosen.add(call(services.get((String) row.get("version")), row));
            }
            StringBuilder line = new StringBuilder("{\"row\":" + row.get("row") + ",\"chosen\":[");
            for (String c : chosen) {
                line.append(line.charAt(line.length() - 1) == '[' ? "" : ",").append(Report.quote(c));
            }
            System.out.println(line.append("]}"));
        }
        System.out.println("DONE");
        System.out.flush();
        Runtime.getRuntime().halt(0);
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
