package com.example.recorder;

import com.alibaba.dubbo.common.URL;
import com.alibaba.dubbo.common.utils.NetUtils;
import com.alibaba.dubbo.registry.integration.RegistryDirectory;
import com.alibaba.dubbo.rpc.Invocation;
import com.alibaba.dubbo.rpc.RpcInvocation;
import com.alibaba.dubbo.rpc.cluster.Configurator;
import com.alibaba.dubbo.rpc.cluster.router.condition.ConditionRouter;
import com.alibaba.dubbo.rpc.cluster.support.ClusterUtils;
import com.google.gson.JsonObject;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.logging.LogManager;

/** What Dubbo 2.6 does in its own way. */
final class Generation {
    private Generation() {
    }

    static void start() {
        LogManager.getLogManager().reset();
    }

    static URL parse(String text) {
        return URL.valueOf(text);
    }

    static URL parseEncoded(String text) {
        return URL.valueOf(URL.decode(text));
    }

    static void addRuleKey(JsonObject o, URL u) {
    }

    static boolean matchesAddresses() {
        return false;
    }

    static boolean matchAddress(String pattern, String host, int port) {
        throw new UnsupportedOperationException();
    }

    static boolean readsDocuments() {
        return false;
    }

    static List<URL> document(String text) throws Exception {
        throw new UnsupportedOperationException();
    }

    static URL merge(URL provider, Map<String, String> consumer) {
        return ClusterUtils.mergeUrl(provider, consumer);
    }

    static Object conditionRouter(String text) {
        return new ConditionRouter(URL.valueOf("condition://0.0.0.0/demo.shop.OrderService").addParameter("rule", URL.encode(text)));
    }

    static List<Configurator> configurators(List<URL> urls) {
        return RegistryDirectory.toConfigurators(urls);
    }

    static void localHost(String host) throws Exception {
        Field f = NetUtils.class.getDeclaredField("LOCAL_ADDRESS");
        f.setAccessible(true);
        f.set(null, InetAddress.getByName(host));
    }

    static Invocation call(String method, Object[] args) {
        Class<?>[] types = new Class<?>[args.length];
        Arrays.fill(types, String.class);
        return new RpcInvocation(method, types, args);
    }
}
