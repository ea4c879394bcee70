package com.example.recorder;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import demo.shop.OrderService;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.dubbo.common.URL;
import org.apache.dubbo.rpc.Invocation;
import org.apache.dubbo.rpc.Invoker;
import org.apache.dubbo.rpc.RpcException;
import org.apache.dubbo.rpc.cluster.Directory;

/** Area directory: notifications and documents to one registry directory, and the call's list after each. */
final class DirectoryArea {
    private DirectoryArea() {
    }

    static JsonObject record(JsonObject c) throws Exception {
        for (JsonElement e : c.getAsJsonArray("steps")) {
            String op = e.getAsJsonObject().get("op").getAsString();
            if ((op.equals("set") || op.equals("delete")) && !Generation.readsDocuments()) {
                return null;
            }
        }
        Generation.localHost("10.0.0.9");
        Counted.Ledger ledger = new Counted.Ledger();
        List<String> watch = Json.texts(c, "watch");
        JsonArray after = new JsonArray();
        RegistryWorld world = new RegistryWorld(Json.text(c, "reference"), ledger);
        try {
            Invocation call = call(c.getAsJsonObject("call"));
            for (JsonElement e : c.getAsJsonArray("steps")) {
                JsonObject step = e.getAsJsonObject();
                JsonObject state = new JsonObject();
                switch (step.get("op").getAsString()) {
                    case "notify":
                        try {
                            List<URL> urls = new ArrayList<>();
                            for (String u : Json.texts(step, "urls")) {
                                urls.add(Generation.parse(u));
                            }
                            world.notify(urls);
                        } catch (RuntimeException | StackOverflowError x) {
                            state.addProperty("notify", "failed");
                        }
                        break;
                    case "set":
                        world.set(Json.text(step, "key"), Json.text(step, "text"));
                        break;
                    case "delete":
                        world.delete(Json.text(step, "key"));
                        break;
                    case "call":
                        call = call(step.getAsJsonObject("call"));
                        break;
                    default:
                        throw new AssertionError(step);
                }
                list(state, world.directory(), call, watch);
                state.addProperty("refers", ledger.refers);
                state.addProperty("destroys", ledger.destroys);
                after.add(state);
            }
        } finally {
            world.close();
        }
        JsonObject o = new JsonObject();
        o.add("after", after);
        return o;
    }

    private static Invocation call(JsonObject call) {
        return Generation.call(call.get("method").getAsString(), Json.arguments(call.getAsJsonArray("args")));
    }

    private static void list(JsonObject state, Directory<OrderService> directory, Invocation call, List<String> watch) {
        List<String> out = new ArrayList<>();
        try {
            for (Invoker<OrderService> i : directory.list(call)) {
                URL u = i.getUrl();
                StringBuilder text = new StringBuilder(u.getProtocol() + "://" + u.getAddress());
                char separator = '?';
                for (String k : watch) {
                    String v = u.getParameter(k);
                    if (v != null) {
                        text.append(separator).append(k).append('=').append(v);
                        separator = '&';
                    }
                }
                out.add(text.toString());
            }
        } catch (RpcException e) {
            state.addProperty("code", e.getCode());
            return;
        }
        Collections.sort(out);
        state.add("list", Json.array(out));
    }
}
