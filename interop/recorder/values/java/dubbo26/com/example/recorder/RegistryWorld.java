package com.example.recorder;

import com.alibaba.dubbo.common.URL;
import com.alibaba.dubbo.common.utils.StringUtils;
import com.alibaba.dubbo.registry.NotifyListener;
import com.alibaba.dubbo.registry.Registry;
import com.alibaba.dubbo.registry.integration.RegistryDirectory;
import com.alibaba.dubbo.rpc.Exporter;
import com.alibaba.dubbo.rpc.Invoker;
import com.alibaba.dubbo.rpc.Protocol;
import com.alibaba.dubbo.rpc.cluster.Directory;
import demo.shop.OrderService;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One registry directory of Dubbo 2.6 with a registry that only listens. */
final class RegistryWorld {
    private final RegistryDirectory<OrderService> directory;

    RegistryWorld(String reference, final Counted.Ledger ledger) {
        URL registry = URL.valueOf("registry://127.0.0.1:2181/com.alibaba.dubbo.registry.RegistryService")
                .addParameter("refer", URL.encode(reference));
        directory = new RegistryDirectory<OrderService>(OrderService.class, registry);
        directory.setRegistry(new SilentRegistry());
        directory.setProtocol(new Protocol() {
            @Override
            public int getDefaultPort() {
                return 20880;
            }

            @Override
            public <T> Exporter<T> export(Invoker<T> invoker) {
                throw new UnsupportedOperationException();
            }

            @Override
            public <T> Invoker<T> refer(Class<T> type, URL url) {
                return new Counted<T>(type, url, ledger);
            }

            @Override
            public void destroy() {
            }
        });
        Map<String, String> parameters = new HashMap<String, String>(StringUtils.parseQueryString(reference));
        URL subscribe = new URL("consumer", parameters.remove("register.ip"), 0, OrderService.class.getName(), parameters);
        directory.subscribe(subscribe.addParameter("category", "providers,configurators,routers"));
    }

    Directory<OrderService> directory() {
        return directory;
    }

    void notify(List<URL> urls) {
        directory.notify(urls);
    }

    void set(String key, String text) {
        throw new UnsupportedOperationException();
    }

    void delete(String key) {
        throw new UnsupportedOperationException();
    }

    void close() {
        directory.destroy();
    }

    private static final class SilentRegistry implements Registry {
        @Override
        public URL getUrl() {
            return URL.valueOf("zookeeper://127.0.0.1:2181");
        }

        @Override
        public boolean isAvailable() {
            return true;
        }

        @Override
        public void destroy() {
        }

        @Override
        public void register(URL url) {
        }

        @Override
        public void unregister(URL url) {
        }

        @Override
        public void subscribe(URL url, NotifyListener listener) {
        }

        @Override
        public void unsubscribe(URL url, NotifyListener listener) {
        }

        @Override
        public List<URL> lookup(URL url) {
            return Collections.emptyList();
        }
    }
}
