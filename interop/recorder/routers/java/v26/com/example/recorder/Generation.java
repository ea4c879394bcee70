package com.example.recorder;

import com.alibaba.dubbo.common.Constants;
import com.alibaba.dubbo.common.URL;
import com.alibaba.dubbo.rpc.Invocation;
import com.alibaba.dubbo.rpc.Invoker;
import com.alibaba.dubbo.rpc.Result;
import com.alibaba.dubbo.rpc.RpcContext;
import com.alibaba.dubbo.rpc.RpcInvocation;
import com.alibaba.dubbo.rpc.cluster.Router;
import com.alibaba.dubbo.rpc.cluster.directory.StaticDirectory;
import com.alibaba.dubbo.rpc.cluster.router.condition.ConditionRouter;
import com.alibaba.dubbo.rpc.cluster.router.script.ScriptRouter;
import com.alibaba.dubbo.rpc.cluster.router.tag.TagRouter;
import com.google.gson.JsonObject;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The routers of Dubbo 2.6. It has no config centre. */
final class Generation implements AutoCloseable {
    @Override
    public void close() {
    }

    void reset() {
        RpcContext.removeContext();
    }

    Object invocation(JsonObject c, Arguments a) {
        Map<String, String> attachments = new LinkedHashMap<>();
        a.attachments.forEach((k, v) -> {
            if (v instanceof String) { // this release has text only
                attachments.put(k, (String) v);
            }
        });
        RpcContext.removeContext();
        RpcContext.getContext().setAttachments(new LinkedHashMap<>(attachments));
        return new RpcInvocation(a.method, a.types, a.values, attachments);
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
        List<Router> routers = new ArrayList<>();
        List<String> names = Run.strings(c, "routers");
        if (names.contains("chain")) {
            for (String text : Run.strings(c, "ruleUrls")) {
                try {
                    URL url = URL.valueOf(text);
                    if (!url.getProtocol().equals("condition") || !url.getParameter("router", "condition").equals("condition")) {
                        continue;
                    }
                    routers.add(new ConditionRouter(URL.valueOf(text).addParameter(Constants.RUNTIME_KEY, "true")));
                } catch (Exception e) {
                    continue;
                }
            }
            return new Directory(consumer, all, routers);
        }
        try {
            if (c.has("rule")) {
                routers.add(single(c.getAsJsonObject("rule")));
            }
            for (String n : names) {
                if (n.equals("tag")) {
                    routers.add(new TagRouter());
                } else if (n.equals("script-url")) {
                    routers.add(new ScriptRouter(URL.valueOf(c.getAsJsonArray("ruleUrls").get(0).getAsString())));
                } else {
                    throw new Error("router " + n);
                }
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
        URL url = URL.valueOf("condition://0.0.0.0/any?category=routers").addParameterAndEncoded("rule", rule.get("text").getAsString());
        for (String k : new String[] {"force", "enabled"}) {
            if (rule.has(k)) {
                url = url.addParameter(k, rule.get(k).getAsString());
            }
        }
        return new ConditionRouter(url);
    }

    private static List<Invoker<Object>> pick(List<Provider> all, int[] use) {
        List<Invoker<Object>> out = new ArrayList<>();
        for (int i : use) {
            out.add(all.get(i));
        }
        return out;
    }

    private static List<Integer> numbers(List<Invoker<Object>> list) {
        List<Integer> out = new ArrayList<>();
        if (list != null) {
            for (Invoker<Object> p : list) {
                out.add(((Provider) p).number);
            }
        }
        return out;
    }

    private static final class Listed implements Routers {
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
        }

        @Override
        public void document(String key, String text) {
            throw new UnsupportedOperationException("no config centre");
        }

        @Override
        public List<Integer> route(Object invocation) {
            List<Invoker<Object>> left = list;
            for (Router r : routers) {
                left = r.route(left, consumer, (Invocation) invocation);
            }
            return numbers(left);
        }
    }

    private static final class Directory implements Routers {
        private final URL consumer;
        private final List<Provider> all;
        private final List<Router> routers;
        private StaticDirectory<Object> directory;
        private boolean empty;

        Directory(URL consumer, List<Provider> all, List<Router> routers) {
            this.consumer = consumer;
            this.all = all;
            this.routers = routers;
        }

        @Override
        public void providers(int[] use) {
            empty = use.length == 0;
            if (!empty) {
                directory = new StaticDirectory<>(consumer, pick(all, use), routers);
            }
        }

        @Override
        public void document(String key, String text) {
            throw new UnsupportedOperationException("no config centre");
        }

        @Override
        public List<Integer> route(Object invocation) {
            return empty ? new ArrayList<>() : numbers(directory.list((Invocation) invocation));
        }
    }

    private static final class Provider implements Invoker<Object> {
        private final int number;
        private final URL url;

        Provider(int number, URL url) {
            this.number = number;
            this.url = url;
        }

        @Override
        public Class<Object> getInterface() {
            return Object.class;
        }

        @Override
        public Result invoke(Invocation invocation) {
            throw new UnsupportedOperationException("routing only");
        }

        @Override
        public URL getUrl() {
            return url;
        }

        @Override
        public boolean isAvailable() {
            return true;
        }

        @Override
        public void destroy() {
        }
    }
}
