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
import org.apache.dubbo.config.ApplicationConfig;
import org.apache.dubbo.config.MethodConfig;
import org.apache.dubbo.config.ReferenceConfig;
import org.apache.dubbo.config.RegistryConfig;
import org.apache.dubbo.config.bootstrap.DubboBootstrap;
import org.yaml.snakeyaml.Yaml;

/**
 * Reads references to several groups and rows as JSON from standard input, makes the calls of each row, and prints one JSON line
 * a row with the different answers, sorted; "error" stands for a call that fails. System properties: registry, application.
 */
public final class GroupsConsumer {
    private GroupsConsumer() {
    }

    @SuppressWarnings("unchecked")
    public static void main(String[] args) throws Exception {
        Map<String, Object> input = new Yaml().load(System.in); // JSON is YAML
        ApplicationConfig app = new ApplicationConfig(System.getProperty("application"));
        app.setQosEnable(false);
        RegistryConfig registry = new RegistryConfig(System.getProperty("registry"));
        registry.setTimeout(20000);
        DubboBootstrap.getInstance().application(app).registry(registry);
        Map<String, GroupsService> services = new HashMap<>();
        for (Map<String, Object> s : (List<Map<String, Object>>) input.get("references")) {
            ReferenceConfig<GroupsService> reference = new ReferenceConfig<>();
            reference.setInterface(GroupsService.class);
            reference.setVersion((String) s.get("version"));
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
            reference.setTimeout(5000);
            reference.setRetries(0);
            reference.setCheck(false);
            services.put((String) s.get("version"), reference.get());
        }
        for (Map<String, Object> row : (List<Map<String, Object>>) input.get("rows")) {
            Set<String> answers = new TreeSet<>();
            for (int i = 0; i < (Integer) row.get("calls"); i++) {
                answers.add(call(services.get((String) row.get("version")), (String) row.get("method")));
            }
            StringBuilder line = new StringBuilder("{\"row\":" + row.get("row") + ",\"answers\":[");
            for (String a : answers) {
                line.append(line.charAt(line.length() - 1) == '[' ? "" : ",").append(Report.quote(a));
            }
            System.out.println(line.append("]}"));
        }
        System.out.println("DONE");
        System.out.flush();
        Runtime.getRuntime().halt(0);
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
