package com.example.interop;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.apache.dubbo.config.ApplicationConfig;
import org.apache.dubbo.config.ReferenceConfig;
import org.apache.dubbo.config.RegistryConfig;
import org.apache.dubbo.config.bootstrap.DubboBootstrap;
import org.yaml.snakeyaml.Yaml;

/**
 * What consumers have in common that answer rows: JSON on standard input, one JSON line a row with the different answers, sorted, then
 * DONE. System properties: registry, application.
 */
final class Rows {
    private final Map<String, Object> input;

    /** Reads the input and starts the application. */
    Rows() {
        input = new Yaml().load(System.in); // JSON is YAML
        ApplicationConfig app = new ApplicationConfig(System.getProperty("application"));
        app.setQosEnable(false);
        RegistryConfig registry = new RegistryConfig(System.getProperty("registry"));
        registry.setTimeout(20000);
        // A 3.x consumer reads rule documents only when its application knows the registry.
        DubboBootstrap.getInstance().application(app).registry(registry);
    }

    /** The list under a name. */
    @SuppressWarnings("unchecked")
    List<Map<String, Object>> list(String name) {
        return (List<Map<String, Object>>) input.get(name);
    }

    /** A reference to the version that s names, with what all of them have. */
    static <T> ReferenceConfig<T> reference(Class<T> service, Map<String, Object> s) {
        ReferenceConfig<T> reference = new ReferenceConfig<>();
        reference.setInterface(service);
        reference.setVersion((String) s.get("version"));
        reference.setTimeout(5000);
        reference.setRetries(0);
        reference.setCheck(false);
        return reference;
    }

    /** Makes the calls of each row, prints the answers and ends the process. */
    void answer(Function<Map<String, Object>, String> call) {
        for (Map<String, Object> row : list("rows")) {
            Set<String> answers = new TreeSet<>();
            for (int i = 0; i < (Integer) row.get("calls"); i++) {
                answers.add(call.apply(row));
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
}
