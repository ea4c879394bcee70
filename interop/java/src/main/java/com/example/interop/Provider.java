package com.example.interop;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.dubbo.config.ApplicationConfig;
import org.apache.dubbo.config.ProtocolConfig;
import org.apache.dubbo.config.RegistryConfig;
import org.apache.dubbo.config.ServiceConfig;

/**
 * Serves EchoService until its standard input ends. System properties: port, host, application, registry ("N/A" for
 * none), tag, version, group, params ("k=v,k=v").
 */
public final class Provider {
    private Provider() {
    }

    public static void main(String[] args) throws IOException {
        String host = System.getProperty("host", "198.18.0.1");
        int port = Integer.getInteger("port", 20880);
        String application = System.getProperty("application", "echo-java");
        String tag = System.getProperty("tag", "");

        ApplicationConfig app = new ApplicationConfig(application);
        app.setQosEnable(false);
        ServiceConfig<EchoService> service = new ServiceConfig<>();
        service.setApplication(app);
        RegistryConfig registry = new RegistryConfig(System.getProperty("registry", "N/A"));
        registry.setTimeout(20000);
        service.setRegistry(registry);
        ProtocolConfig protocol = new ProtocolConfig("dubbo", port);
        protocol.setHost(host);
        service.setProtocol(protocol);
        service.setInterface(EchoService.class);
        service.setRef(new EchoServiceImpl(host + ":" + port + "|" + tag + "|" + application));
        if (!tag.isEmpty()) {
            service.setTag(tag);
        }
        if (!System.getProperty("version", "").isEmpty()) {
            service.setVersion(System.getProperty("version"));
        }
        if (!System.getProperty("group", "").isEmpty()) {
            service.setGroup(System.getProperty("group"));
        }
        Map<String, String> params = new HashMap<>();
        for (String pair : System.getProperty("params", "").split(",")) {
            int eq = pair.indexOf('=');
            if (eq > 0) {
                params.put(pair.substring(0, eq), pair.substring(eq + 1));
            }
        }
        service.setParameters(params);
        service.export();
        System.out.println("READY " + host + ":" + port);
        while (System.in.read() >= 0) {
            // whoever started this process keeps its standard input open
        }
        System.exit(0);
    }
}
