package com.example.recorder;

import com.google.gson.JsonObject;
import org.apache.dubbo.common.URL;
import org.apache.dubbo.common.extension.ExtensionLoader;
import org.apache.dubbo.rpc.Invocation;
import org.apache.dubbo.rpc.Invoker;
import org.apache.dubbo.rpc.RpcInvocation;
import org.apache.dubbo.rpc.cluster.CacheableRouterFactory;
import org.apache.dubbo.rpc.cluster.Router;
import org.apache.dubbo.rpc.cluster.RouterChain;
import org.apache.dubbo.rpc.cluster.RouterFactory;
import org.apache.dubbo.rpc.cluster.router.condition.ConditionRouter;
import org.apache.dubbo.rpc.cluster.router.condition.config.AppRouter;
import org.apache.dubbo.rpc.cluster.router.condition.config.AppRouterFactory;
import org.apache.dubbo.rpc.cluster.router.condition.config.ServiceRouter;
import org.apache.dubbo.rpc.cluster.router.script.ScriptRouter;
import org.apache.dubbo.rpc.cluster.router.tag.TagRouter;
import org.apache.dubbo.rpc.model.ApplicationModel;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The routers of Dubbo 2.7. */
final class Generation implements AutoCloseable {
    private final Centre centre = new Centre();

    Generation() {
        ApplicationModel.getEnvironment().setDynamicConfiguration(centre);
    }

    @Override
    public void close() {
    }

    void reset() {
        centre.reset();
    }

    Object invocation(JsonObject c, Arguments a) {
        URL consumer = URL.valueOf(c.get("consumer").getAsString());
        String service = a.generic ? "org.apache.dubbo.rpc.service.GenericService" : consumer.getServiceInterface();
        return new RpcInvocation(a.method, service, consumer.getProtocolServiceKey(), a.types, a.values, a.attachments);
    }

    Routers open(JsonObject c) throws Refused {
        URL consumer;
        List<Provider> all = new ArrayList<>();
        try {
            consumer = URL.valueOf(c.get("consumer").getAsString());
            for (String p : Run.strings(c, "providers")) {
                all.add(new Provider(all.size(), URL.valueOf(p)));
            }
        } catch (Exception e) {
            throw new Refused("bad-url");
        }
        if (c.has("initial")) {
            c.getAsJsonObject("initial").entrySet().forEach(e -> centre.put(e.getKey(), e.getValue().getAsString()));
        }
        List<String> names = Run.strings(c, "routers");
        if (names.contains("chain")) {
            return new Chain(consumer, all, Run.strings(c, "ruleUrls"));
        }
        List<Router> routers = new ArrayList<>();
        try {
            if (c.has("rule")) {
                routers.add(single(c.getAsJsonObject("rule")));
            }
            for (String n : names) {
                routers.add(router(n, consumer, Run.strings(c, "ruleUrls")));
            }
        } catch (RuntimeException e) {
            throw new Refused("illegal-rule");
        }
        return new Listed(consumer, all, routers);
    }

    private static Router single(JsonObject rule) {
        if (rule.has("url")) {
            return new ConditionRouter(URL.valueOf(rule.get("url").getAsString()));
        }
        return new ConditionRouter(rule.get("text").getAsString(), rule.has("force") && rule.get("force").getAsBoolean(),
                !rule.has("enabled") || rule.get("enabled").getAsBoolean());
    }

    private static Router router(String name, URL consumer, List<String> ruleUrls) {
        switch (name) {
            case "service": return new ServiceRouter(consumer);
            case "app": return new AppRouter(consumer);
            case "tag": return new TagRouter(consumer);
            case "script-url": return new ScriptRouter(URL.valueOf(ruleUrls.get(0)));
            default: throw new IllegalStateException("router " + name);
        }
    }

    private static List<Invoker<Object>> pick(List<Provider> all, int[] use) {
        List<Invoker<Object>> out = new ArrayList<>();
        for (int i : use) {
            out.add(all.get(i));
        }
        return out;
    }

    /** Routers in the order of the case, each on the output of the one before. */
    private final class Listed implements Routers {
        private final URL consumer;
        private final List<Provider> all;
        private final List<Router> routers;
        private List<Invoker<Object>> list;

        Listed(URL consumer, List<Provider> all, List<Router> routers) {
            this.consumer = consumer;
            this.all = all;
            this.routers = routers;
        }

        @Override
        public void providers(int[] use) {
            list = pick(all, use);
            for (Router r : routers) {
                r.notify(list);
            }
        }

        @Override
        public void document(String key, String text) {
            centre.document(key, text);
        }

        @Override
        public List<Integer> route(Object invocation) {
            List<Invoker<Object>> left = list;
            for (Router r : routers) {
                left = r.route(left == null ? new ArrayList<>() : left, consumer, (Invocation) invocation);
            }
            return Provider.numbers(left);
        }
    }

    private final class Chain implements Routers {
        private final URL consumer;
        private final List<Provider> all;
        private final RouterChain<Object> chain;

        Chain(URL consumer, List<Provider> all, List<String> ruleUrls) {
            this.consumer = consumer;
            this.all = all;
            forget();
            chain = RouterChain.buildChain(consumer);
            List<Router> added = new ArrayList<>();
            RouterFactory factory = ExtensionLoader.getExtensionLoader(RouterFactory.class).getAdaptiveExtension();
            for (String text : ruleUrls) {
                try { // as the registry directory makes them
                    URL url = URL.valueOf(text);
                    String type = url.getParameter("router");
                    if (type != null && type.length() > 0) {
                        url = url.setProtocol(type);
                    }
                    Router r = factory.getRouter(url);
                    if (!added.contains(r)) {
                        added.add(r);
                    }
                } catch (Throwable e) {
                    continue;
                }
            }
            if (!ruleUrls.isEmpty()) {
                chain.addRouters(added);
            }
        }

        /** Drops the routers that the factories remember by service. */
        private void forget() {
            ExtensionLoader<RouterFactory> loader = ExtensionLoader.getExtensionLoader(RouterFactory.class);
            try {
                Field field = CacheableRouterFactory.class.getDeclaredField("routerMap");
                field.setAccessible(true);
                for (RouterFactory f : loader.getLoadedExtensionInstances()) {
                    if (f instanceof CacheableRouterFactory) {
                        ((Map<?, ?>) field.get(f)).clear();
                    }
                    if (f instanceof AppRouterFactory) { // it has one router for all services
                        Field router = AppRouterFactory.class.getDeclaredField("router");
                        router.setAccessible(true);
                        router.set(f, null);
                    }
                }
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void providers(int[] use) {
            chain.setInvokers(pick(all, use));
        }

        @Override
        public void document(String key, String text) {
            centre.document(key, text);
        }

        @Override
        public List<Integer> route(Object invocation) {
            return Provider.numbers(chain.route(consumer, (Invocation) invocation));
        }
    }
}
