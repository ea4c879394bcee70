package com.example.recorder;

import demo.shop.OrderService;
import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.dubbo.common.URL;
import org.apache.dubbo.common.extension.ExtensionLoader;
import org.apache.dubbo.registry.integration.RegistryDirectory;
import org.apache.dubbo.registry.integration.RegistryProtocol;
import org.apache.dubbo.rpc.cluster.CacheableRouterFactory;
import org.apache.dubbo.rpc.cluster.Directory;
import org.apache.dubbo.rpc.cluster.RouterFactory;
import org.apache.dubbo.rpc.cluster.router.condition.config.AppRouterFactory;

/** One registry directory of Dubbo 2.7 with its router chain. */
final class RegistryWorld {
    private final RegistryDirectory<OrderService> directory;

    RegistryWorld(String reference, Counted.Ledger ledger) throws Exception {
        forgetRouters();
        URL registry = URL.valueOf("registry://127.0.0.1:2181/org.apache.dubbo.registry.RegistryService?interface=org.apache.dubbo.registry.RegistryService")
                .addParameter("refer", URL.encode(reference));
        directory = new RegistryDirectory<>(OrderService.class, registry);
        directory.setRegistry(new SilentRegistry());
        directory.setProtocol(new CountingProtocol(ledger));
        Map<String, String> parameters = new HashMap<>(directory.getConsumerUrl().getParameters());
        URL subscribe = new URL("consumer", parameters.remove("register.ip"), 0, OrderService.class.getName(), parameters);
        directory.buildRouterChain(subscribe);
        directory.subscribe(RegistryProtocol.toSubscribeUrl(subscribe));
    }

    /** Router objects live as long as their factories, which are singletons; each case gets new ones. */
    private static void forgetRouters() throws Exception {
        ExtensionLoader<RouterFactory> loader = ExtensionLoader.getExtensionLoader(RouterFactory.class);
        for (String name : loader.getSupportedExtensions()) {
            RouterFactory f = loader.getExtension(name);
            if (f instanceof CacheableRouterFactory) {
                Field map = CacheableRouterFactory.class.getDeclaredField("routerMap");
                map.setAccessible(true);
                ((Map<?, ?>) map.get(f)).clear();
            } else if (f instanceof AppRouterFactory) {
                Field router = AppRouterFactory.class.getDeclaredField("router");
                router.setAccessible(true);
                router.set(f, null);
            }
        }
    }

    Directory<OrderService> directory() {
        return directory;
    }

    void notify(List<URL> urls) {
        directory.notify(urls);
    }

    void set(String key, String text) {
        Generation.CENTER.set(key, text);
    }

    void delete(String key) {
        Generation.CENTER.delete(key);
    }

    void close() {
        directory.destroy();
        // The listener for the application's configurators belongs to the class RegistryDirectory.
        Generation.CENTER.reset("web.configurators");
    }
}
