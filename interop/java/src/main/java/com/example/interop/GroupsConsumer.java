package com.example.interop;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.dubbo.config.MethodConfig;
import org.apache.dubbo.config.ReferenceConfig;

/** Answers {@link Rows} by calls of references to several groups; "error" stands for a call that fails. */
public final class GroupsConsumer {
    private GroupsConsumer() {
    }

    @SuppressWarnings("unchecked")
    public static void main(String[] args) {
        Rows rows = new Rows();
        Map<String, GroupsService> services = new HashMap<>();
        for (Map<String, Object> s : rows.list("references")) {
            ReferenceConfig<GroupsService> reference = Rows.reference(GroupsService.class, s);
            reference.setGroup((String) s.get("group"));
            if (s.get("cluster") != null) {
                reference.setCluster((String) s.get("cluster"));
            }
            List<MethodConfig> methods = new ArrayList<>();
            for (Map.Entry<String, String> m : ((Map<String, String>) s.get("mergers")).entrySet()) {
                MethodConfig method = new MethodConfig();
                method.setName(m.getKey());
                method.setMerger(m.getValue());
                methods.add(method);
            }
            reference.setMethods(methods);
            services.put((String) s.get("version"), reference.get());
        }
        rows.answer(row -> call(services.get((String) row.get("version")), (String) row.get("method")));
    }

    private static String call(GroupsService s, String method) {
        try {
            return text(GroupsService.class.getMethod(method).invoke(s));
        } catch (ReflectiveOperationException e) {
            return "error";
        }
    }

    private static String text(Object v) {
        if (v instanceof int[]) {
            return Arrays.toString((int[]) v);
        }
        if (v instanceof Object[]) {
            return Arrays.toString((Object[]) v);
        }
        if (v instanceof Map) {
            return String.valueOf(new TreeMap<Object, Object>((Map<?, ?>) v));
        }
        if (v instanceof Set) {
            return String.valueOf(new TreeSet<Object>((Collection<?>) v));
        }
        return String.valueOf(v);
    }
}
