package com.example.recorder;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import demo.shop.OrderService;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.apache.dubbo.common.URL;
import org.apache.dubbo.rpc.Invocation;
import org.apache.dubbo.rpc.Invoker;
import org.apache.dubbo.rpc.RpcStatus;
import org.apache.dubbo.rpc.cluster.LoadBalance;
import org.apache.dubbo.rpc.cluster.loadbalance.AbstractLoadBalance;
import org.apache.dubbo.rpc.cluster.loadbalance.ConsistentHashLoadBalance;
import org.apache.dubbo.rpc.cluster.loadbalance.LeastActiveLoadBalance;
import org.apache.dubbo.rpc.cluster.loadbalance.RandomLoadBalance;
import org.apache.dubbo.rpc.cluster.loadbalance.RoundRobinLoadBalance;

/** Area load-balance: one balancer, or the warm-up function alone. */
final class LoadBalanceArea {
    private LoadBalanceArea() {
    }

    static JsonObject record(JsonObject c) throws Exception {
        String op = c.get("op").getAsString();
        if (op.equals("warmup")) {
            return warmup(c);
        }
        List<Invoker<OrderService>> all = new ArrayList<>();
        try {
            for (String p : Json.texts(c, "providers")) {
                all.add(new Counted<>(OrderService.class, Generation.parse(p), new Counted.Ledger()));
            }
        } catch (RuntimeException e) {
            return Json.error("bad-url");
        }
        String method = c.getAsJsonObject("call").get("method").getAsString();
        JsonArray actives = c.has("actives") ? c.getAsJsonArray("actives") : new JsonArray();
        for (int i = 0; i < actives.size(); i++) {
            for (int n = actives.get(i).getAsInt(); n > 0; n--) {
                RpcStatus.beginCount(all.get(i).getUrl(), method);
            }
        }
        try {
            return picks(c, balancer(op), all, method);
        } catch (NumberFormatException e) {
            return Json.error("bad-number");
        } catch (RuntimeException e) {
            return Json.error("failed");
        } finally {
            for (Invoker<?> i : all) {
                RpcStatus.removeStatus(i.getUrl(), method);
                RpcStatus.removeStatus(i.getUrl());
            }
        }
    }

    private static LoadBalance balancer(String op) {
        switch (op) {
            case "roundrobin":
                return new RoundRobinLoadBalance();
            case "consistenthash":
                return new ConsistentHashLoadBalance();
            case "leastactive":
                return new LeastActiveLoadBalance();
            case "random":
                return new RandomLoadBalance();
            default:
                throw new AssertionError(op);
        }
    }

    private static JsonObject picks(JsonObject c, LoadBalance b, List<Invoker<OrderService>> all, String method) {
        URL consumer = Generation.parse("consumer://10.0.0.9/demo.shop.OrderService?interface=demo.shop.OrderService");
        int draws = Json.integer(c, "draws", 0);
        List<Integer> out = new ArrayList<>();
        if (draws > 0) {
            Invocation call = Generation.call(method, new Object[0]);
            int[] counts = new int[all.size()];
            for (int n = 0; n < draws; n++) {
                counts[all.indexOf(b.select(all, consumer, call))]++;
            }
            for (int n : counts) {
                out.add(n);
            }
            JsonObject o = new JsonObject();
            o.add("shares", Json.array(out));
            return o;
        }
        for (JsonElement e : c.getAsJsonArray("phases")) {
            JsonObject phase = e.getAsJsonObject();
            List<Invoker<OrderService>> list = new ArrayList<>();
            for (int i : Json.integers(phase.getAsJsonArray("use"))) {
                list.add(all.get(i));
            }
            List<Object[]> calls = new ArrayList<>();
            if (phase.has("argsList")) {
                for (JsonElement args : phase.getAsJsonArray("argsList")) {
                    calls.add(Json.arguments(args.getAsJsonArray()));
                }
            } else {
                for (int n = phase.get("n").getAsInt(); n > 0; n--) {
                    calls.add(new Object[0]);
                }
            }
            for (Object[] args : calls) {
                out.add(all.indexOf(b.select(list, consumer, Generation.call(method, args))));
            }
        }
        JsonObject o = new JsonObject();
        o.add("picks", Json.array(out));
        return o;
    }

    private static JsonObject warmup(JsonObject c) throws Exception {
        Method m = AbstractLoadBalance.class.getDeclaredMethod("calculateWarmupWeight", int.class, int.class, int.class);
        m.setAccessible(true);
        try {
            return Json.one("weight", m.invoke(null, c.get("uptime").getAsInt(), c.get("warmup").getAsInt(), c.get("weight").getAsInt()));
        } catch (InvocationTargetException e) {
            return Json.error("failed");
        }
    }
}
