package com.example.recorder;

import demo.shop.OrderService;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.dubbo.common.URL;
import org.apache.dubbo.common.url.component.ServiceConfigURL;
import org.apache.dubbo.common.utils.StringUtils;
import org.apache.dubbo.config.ApplicationConfig;
import org.apache.dubbo.registry.integration.RegistryDirectory;
import org.apache.dubbo.registry.integration.RegistryProtocol;
import org.apache.dubbo.rpc.cluster.Directory;
import org.apache.dubbo.rpc.model.ApplicationModel;
import org.apache.dubbo.rpc.model.FrameworkModel;
import org.apache.dubbo.rpc.model.ModuleModel;

/** One registry directory of Dubbo 3 with its router chain, in an application of its own: routers live as long as it. */
final class RegistryWorld {
    private final ApplicationModel application;
    private final MemoryCenter center = new MemoryCenter();
    private final RegistryDirectory<OrderService> directory;

    RegistryWorld(String reference, Counted.Ledger ledger) {
        application = FrameworkModel.defaultModel().newApplication();
        application.getApplicationConfigManager().setApplication(new ApplicationConfig("web"));
        application.getModelEnvironment().setDynamicConfiguration(center);
        ModuleModel module = application.newModule();
        Map<String, String> refer = new HashMap<>(StringUtils.parseQueryString(reference));
        String protocol = refer.get("protocol") == null ? "consumer" : refer.get("protocol");
        URL consumer = new ServiceConfigURL(protocol, null, null, refer.get("register.ip"), 0, OrderService.class.getName(), refer)
                .setScopeModel(module);
        URL registry = URL.valueOf("registry://127.0.0.1:2181/org.apache.dubbo.registry.RegistryService?interface=org.apache.dubbo.registry.RegistryService")
                .setScopeModel(module)
                .putAttribute("refer", refer)
                .putAttribute("CONSUMER_URL", consumer);
        directory = new RegistryDirectory<>(OrderService.class, registry);
        directory.setRegistry(new SilentRegistry());
        directory.setProtocol(new CountingProtocol(ledger));
        Map<String, String> parameters = new HashMap<>(directory.getConsumerUrl().getParameters());
        URL subscribe = new ServiceConfigURL(protocol, parameters.remove("register.ip"), 0, OrderService.class.getName(), parameters)
                .setScopeModel(module);
        directory.buildRouterChain(subscribe);
        directory.subscribe(RegistryProtocol.toSubscribeUrl(subscribe));
    }

    Directory<OrderService> directory() {
        return directory;
    }

    void notify(List<URL> urls) {
        directory.notify(urls);
    }

    void set(String key, String text) {
        center.set(key, text);
    }

    void delete(String key) {
        center.delete(key);
    }

    void close() {
        application.destroy();
    }
}
