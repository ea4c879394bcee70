package com.example.recorder;

import com.google.gson.JsonObject;
import java.lang.reflect.Field;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.logging.LogManager;
import org.apache.dubbo.common.URL;
import org.apache.dubbo.common.config.configcenter.DynamicConfiguration;
import org.apache.dubbo.common.utils.NetUtils;
import org.apache.dubbo.rpc.Invocation;
import org.apache.dubbo.rpc.RpcInvocation;
import org.apache.dubbo.rpc.cluster.Configurator;
import org.apache.dubbo.rpc.cluster.configurator.parser.ConfigParser;
import org.apache.dubbo.rpc.cluster.router.condition.ConditionStateRouter;
import org.apache.dubbo.rpc.cluster.support.merger.DefaultProviderURLMergeProcessor;
import org.apache.dubbo.rpc.model.ApplicationModel;

/** What Dubbo 3 does in its own way. */
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
        return URL.valueOf(text, true);
    }

    static void addRuleKey(JsonObject o, URL u) {
        Json.add(o, "ruleKey", DynamicConfiguration.getRuleKey(u));
    }

    static boolean matchesAddresses() {
        return true;
    }

    static boolean matchAddress(String pattern, String host, int port) throws UnknownHostException {
        return NetUtils.matchIpExpression(pattern, host, port);
    }

    static boolean readsDocuments() {
        return true;
    }

    static List<URL> document(String text) throws Exception {
        return ConfigParser.parseConfigurators(text);
    }

    static URL merge(URL provider, Map<String, String> consumer) {
        return new DefaultProviderURLMergeProcessor().mergeUrl(provider, consumer);
    }

    static Object conditionRouter(String text) {
        URL url = URL.valueOf("consumer://10.0.0.9/demo.shop.OrderService").setScopeModel(ApplicationModel.defaultModel().getDefaultModule());
        return new ConditionStateRouter<>(url, text, false, true);
    }

    static List<Configurator> configurators(List<URL> urls) {
        return Configurator.toConfigurators(urls).orElse(Collections.emptyList());
    }

    static void localHost(String host) throws Exception {
        Field f = NetUtils.class.getDeclaredField("HOST_ADDRESS");
        f.setAccessible(true);
        f.set(null, host);
    }

    static Invocation call(String method, Object[] args) {
        Class<?>[] types = new Class<?>[args.length];
        Arrays.fill(types, String.class);
        return new RpcInvocation(method, "demo.shop.OrderService", "demo.shop.OrderService:dubbo", types, args);
    }
}
