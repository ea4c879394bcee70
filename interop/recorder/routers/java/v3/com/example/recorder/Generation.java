package com.example.recorder;

import com.google.gson.JsonObject;
import org.apache.dubbo.common.URL;
import org.apache.dubbo.rpc.Invocation;
import org.apache.dubbo.rpc.Invoker;
import org.apache.dubbo.rpc.RpcInvocation;
import org.apache.dubbo.rpc.cluster.RouterChain;
import org.apache.dubbo.rpc.cluster.router.condition.ConditionStateRouter;
import org.apache.dubbo.rpc.cluster.router.state.BitList;
import org.apache.dubbo.rpc.cluster.router.state.StateRouter;
import org.apache.dubbo.rpc.cluster.router.state.TailStateRouter;
import org.apache.dubbo.rpc.model.ApplicationModel;
import org.apache.dubbo.rpc.model.FrameworkModel;
import org.apache.dubbo.rpc.model.ModuleModel;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The state routers of Dubbo 3. Classes that not every 3.x release has are found by name. */
final class Generation implements AutoCloseable {
    private static final String CLUSTER = "org.apache.dubbo.rpc.cluster.router.";
    private static final Map<String, String> CLASSES = new HashMap<>();

    static {
        CLASSES.put("service", "condition.config.ServiceStateRouter");
        CLASSES.put("app", "condition.config.AppStateRouter");
        CLASSES.put("tag", "tag.TagStateRouter");
        CLASSES.put("script-app", "script.config.AppScriptStateRouter");
        CLASSES.put("mesh", "mesh.route.StandardMeshRuleRouter");
        CLASSES.put("affinity-service", "affinity.config.AffinityServiceStateRouter");
        CLASSES.put("affinity-app", "affinity.config.AffinityProviderAppStateRouter");
    }

    private final Centre centre = new Centre();
    private final FrameworkModel framework = FrameworkModel.defaultModel();
    /** For cases whose routers keep nothing in their module. */
    private final ModuleModel shared = module();

    private ModuleModel module() {
        ApplicationModel application = framework.newApplication();
        // Later releases keep the configuration by module, earlier ones by application.
        ModuleModel module = application.newModule();
        application.getModelEnvironment().setDynamicConfiguration(centre);
        module.getModelEnvironment().setDynamicConfiguration(centre);
        return module;
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

    Routers open(JsonObject c) throws Refused, ReflectiveOperationException {
        List<String> names = Run.strings(c, "routers");
        boolean chain = names.contains("chain") || names.contains("chain+affinity");
        boolean own = chain || names.contains("mesh");
        ModuleModel module = own ? module() : shared;
        URL consumer;
        List<Provider> all = new ArrayList<>();
        try {
            consumer = URL.valueOf(c.get("consumer").getAsString()).setScopeModel(module);
            for (String p : Run.strings(c, "providers")) {
                all.add(new Provider(all.size(), URL.valueOf(p)));
            }
        } catch (Exception e) {
            throw new Refused("bad-url");
        }
        if (c.has("initial")) {
            c.getAsJsonObject("initial").entrySet().forEach(e -> centre.put(e.getKey(), e.getValue().getAsString()));
        }
        if (chain) {
            return new Chain(module, consumer, all);
        }
        List<StateRouter<Object>> routers = new ArrayList<>();
        try {
            if (c.has("rule")) {
                routers.add(single(c.getAsJsonObject("rule"), consumer, module));
            }
            for (String n : names) {
                routers.add(router(n, consumer, Run.strings(c, "ruleUrls"), module));
            }
        } catch (RuntimeException e) {
            throw new Refused("illegal-rule");
        }
        return new Listed(own ? module : null, consumer, all, routers);
    }

    private static StateRouter<Object> single(JsonObject rule, URL consumer, ModuleModel module) {
        if (rule.has("url")) {
            return new ConditionStateRouter<>(URL.valueOf(rule.get("url").getAsString()).setScopeModel(module));
        }
        return new ConditionStateRouter<>(consumer, rule.get("text").getAsString(), rule.has("force") && rule.get("force").getAsBoolean(),
                !rule.has("enabled") || rule.get("enabled").getAsBoolean());
    }

    @SuppressWarnings("unchecked")
    private static StateRouter<Object> router(String name, URL consumer, List<String> ruleUrls, ModuleModel module) throws ReflectiveOperationException {
        URL url = consumer;
        String type = CLASSES.get(name);
        if (name.equals("script-url")) {
            type = "script.ScriptStateRouter";
            url = URL.valueOf(ruleUrls.get(0)).setScopeModel(module);
        }
        try {
            return (StateRouter<Object>) Class.forName(CLUSTER + type).getConstructor(URL.class).newInstance(url);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException) {
                throw (RuntimeException) e.getCause();
            }
            throw e;
        }
    }

    private static BitList<Invoker<Object>> pick(List<Provider> all, int[] use) {
        List<Invoker<Object>> out = new ArrayList<>();
        for (int i : use) {
            out.add(all.get(i));
        }
        return new BitList<>(out);
    }

    private static void end(ModuleModel module) {
        if (module != null) {
            module.getApplicationModel().destroy();
        }
    }

    /** Routers in the order of the case, each on the output of the one before. */
    private final class Listed implements Routers {
        private final ModuleModel own;
        private final URL consumer;
        private final List<Provider> all;
        private final List<StateRouter<Object>> routers;
        private BitList<Invoker<Object>> list;

        Listed(ModuleModel own, URL consumer, List<Provider> all, List<StateRouter<Object>> routers) {
            this.own = own;
            this.consumer = consumer;
            this.all = all;
            this.routers = routers;
            for (StateRouter<Object> r : routers) {
                r.setNextRouter(TailStateRouter.getInstance());
            }
        }

        @Override
        public void providers(int[] use) {
            list = pick(all, use);
            for (StateRouter<Object> r : routers) {
                r.notify(list);
            }
        }

        @Override
        public void document(String key, String text) {
            centre.document(key, text);
        }

        @Override
        public List<Integer> route(Object invocation) {
            BitList<Invoker<Object>> left = list.clone();
            for (StateRouter<Object> r : routers) {
                left = r.route(left, consumer, (Invocation) invocation, false, null);
            }
            return Provider.numbers(left);
        }

        @Override
        public void close() {
            end(own);
        }
    }

    private final class Chain implements Routers {
        private final ModuleModel module;
        private final URL consumer;
        private final List<Provider> all;
        private final RouterChain<Object> chain;
        private BitList<Invoker<Object>> list;

        Chain(ModuleModel module, URL consumer, List<Provider> all) {
            this.module = module;
            this.consumer = consumer;
            this.all = all;
            chain = RouterChain.buildChain(Object.class, consumer);
        }

        @Override
        public void providers(int[] use) throws Exception {
            list = pick(all, use);
            for (Method m : RouterChain.class.getMethods()) {
                if (m.getName().equals("setInvokers")) {
                    try {
                        if (m.getParameterCount() == 1) {
                            m.invoke(chain, list);
                        } else {
                            m.invoke(chain, list, (Runnable) () -> { });
                        }
                    } catch (InvocationTargetException e) {
                        throw new IllegalStateException(e.getCause());
                    }
                }
            }
        }

        @Override
        public void document(String key, String text) {
            centre.document(key, text);
        }

        @Override
        public List<Integer> route(Object invocation) {
            return Provider.numbers(chain.route(consumer, list, (Invocation) invocation));
        }

        @Override
        public void close() {
            end(module);
        }
    }
}
