package com.example.recorder;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Runs one case and makes the answer in the form of the corpus. */
final class Run {
    private final Generation generation;
    private final JsonObject c;
    private final int draws;
    private Object invocation;

    Run(Generation generation, JsonObject c) {
        this.generation = generation;
        this.c = c;
        draws = draws();
    }

    /** How often a state is called: only documents with weights draw at random. */
    private int draws() {
        int out = 1;
        for (String text : texts()) {
            if (text.contains("VirtualService") && text.contains("weight")) {
                return 2000;
            }
            if (text.contains("v3.1") && text.contains("weight")) {
                out = 600;
            }
        }
        return out;
    }

    private List<String> texts() {
        List<String> out = new ArrayList<>();
        if (c.has("initial")) {
            c.getAsJsonObject("initial").entrySet().forEach(e -> out.add(e.getValue().getAsString()));
        }
        if (c.has("steps") && c.get("steps").isJsonArray()) {
            for (JsonElement e : c.getAsJsonArray("steps")) {
                if (e.getAsJsonObject().has("text")) {
                    out.add(e.getAsJsonObject().get("text").getAsString());
                }
            }
        }
        return out;
    }

    JsonObject answer() throws Exception {
        JsonObject out = new JsonObject();
        generation.reset();
        Routers routers;
        try {
            routers = generation.open(c);
        } catch (Refused e) {
            out.addProperty("error", e.getMessage());
            return out;
        }
        try (Routers r = routers) {
            invocation = generation.invocation(c, new Arguments(c.getAsJsonObject("call")));
            if (c.get("area").getAsString().equals("condition-route")) {
                r.providers(all());
                out.add("keep", numbers(r.route(invocation)));
            } else if (c.has("draws")) {
                out.add("shares", shares(r));
            } else {
                out.add("keeps", keeps(r));
            }
        }
        return out;
    }

    private int[] all() {
        int[] out = new int[c.getAsJsonArray("providers").size()];
        for (int i = 0; i < out.length; i++) {
            out[i] = i;
        }
        return out;
    }

    private JsonArray keeps(Routers r) throws Exception {
        JsonArray out = new JsonArray();
        boolean failed = notify(r, all());
        out.add(element(r, failed));
        for (JsonElement e : c.getAsJsonArray("steps")) {
            out.add(element(r, step(r, e.getAsJsonObject())));
        }
        return out;
    }

    /** Reports whether the routers raised on a new list. */
    private boolean step(Routers r, JsonObject s) throws Exception {
        switch (s.get("op").getAsString()) {
            case "set":
                r.document(s.get("key").getAsString(), s.get("text").getAsString());
                return false;
            case "delete":
                r.document(s.get("key").getAsString(), null);
                return false;
            case "call":
                invocation = generation.invocation(c, new Arguments(s.getAsJsonObject("call")));
                return false;
            case "providers":
                JsonArray use = s.getAsJsonArray("use");
                int[] list = new int[use.size()];
                for (int i = 0; i < list.length; i++) {
                    list[i] = use.get(i).getAsInt();
                }
                return notify(r, list);
            default:
                throw new IllegalArgumentException("step " + s);
        }
    }

    private static boolean notify(Routers r, int[] list) {
        try {
            r.providers(list);
            return false;
        } catch (Exception e) {
            return true;
        }
    }

    private JsonElement element(Routers r, boolean failed) {
        JsonElement keep = keep(r);
        if (!failed) {
            return keep;
        }
        JsonObject out = new JsonObject();
        out.addProperty("notify", "failed");
        out.add("keep", keep);
        return out;
    }

    private JsonElement keep(Routers r) {
        TreeMap<String, List<Integer>> seen = new TreeMap<>();
        try {
            for (int i = 0; i < draws; i++) {
                List<Integer> list = r.route(invocation);
                seen.put(list.toString(), list);
            }
        } catch (Exception | StackOverflowError e) {
            return new JsonPrimitive("route-failed");
        }
        if (seen.size() == 1) {
            return numbers(seen.firstEntry().getValue());
        }
        JsonArray lists = new JsonArray();
        for (List<Integer> l : seen.values()) {
            lists.add(numbers(l));
        }
        JsonObject out = new JsonObject();
        out.add("oneOf", lists);
        return out;
    }

    private JsonArray shares(Routers r) throws Exception {
        notify(r, all());
        for (JsonElement e : c.getAsJsonArray("steps")) {
            step(r, e.getAsJsonObject());
        }
        TreeMap<String, List<Integer>> lists = new TreeMap<>();
        TreeMap<String, Integer> counts = new TreeMap<>();
        for (int i = 0; i < c.get("draws").getAsInt(); i++) {
            List<Integer> list = r.route(invocation);
            lists.put(list.toString(), list);
            counts.merge(list.toString(), 1, Integer::sum);
        }
        JsonArray out = new JsonArray();
        for (Map.Entry<String, List<Integer>> e : lists.entrySet()) {
            JsonObject share = new JsonObject();
            share.add("keep", numbers(e.getValue()));
            share.addProperty("count", counts.get(e.getKey()));
            out.add(share);
        }
        return out;
    }

    private static JsonArray numbers(List<Integer> list) {
        JsonArray out = new JsonArray();
        for (Integer i : list) {
            out.add(i);
        }
        return out;
    }

    static List<String> strings(JsonObject c, String field) {
        List<String> out = new ArrayList<>();
        if (c.has(field)) {
            for (JsonElement e : c.getAsJsonArray(field)) {
                out.add(e.getAsString());
            }
        }
        return out;
    }
}
