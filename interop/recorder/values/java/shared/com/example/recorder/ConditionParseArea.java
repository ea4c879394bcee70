package com.example.recorder;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Area condition-parse: what a condition router made of one rule. */
final class ConditionParseArea {
    private ConditionParseArea() {
    }

    static JsonObject record(JsonObject c) throws Exception {
        String text = c.getAsJsonObject("rule").get("text").getAsString();
        Object router;
        try {
            router = Generation.conditionRouter(text);
        } catch (IllegalArgumentException | IllegalStateException e) {
            JsonObject o = Json.error("illegal-rule");
            String message = e.getMessage() == null ? "" : e.getMessage();
            o.addProperty("message", message);
            return o;
        }
        JsonObject o = new JsonObject();
        o.add("when", side(router, "whenCondition"));
        o.add("then", side(router, "thenCondition"));
        return o;
    }

    private static JsonElement side(Object router, String name) throws Exception {
        Map<?, ?> map = (Map<?, ?>) field(router, name);
        if (map == null) {
            return JsonNull.INSTANCE;
        }
        JsonObject o = new JsonObject();
        for (Map.Entry<?, ?> e : new TreeMap<>(map).entrySet()) {
            JsonObject sets = new JsonObject();
            sets.add("in", Json.array(new TreeSet<Object>((Set<?>) field(e.getValue(), "matches"))));
            sets.add("notIn", Json.array(new TreeSet<Object>((Set<?>) field(e.getValue(), "mismatches"))));
            o.add(e.getKey().toString(), sets);
        }
        return o;
    }

    private static Object field(Object o, String name) throws Exception {
        for (Class<?> k = o.getClass(); k != null; k = k.getSuperclass()) {
            for (Field f : k.getDeclaredFields()) {
                if (f.getName().equals(name)) {
                    f.setAccessible(true);
                    return f.get(o);
                }
            }
        }
        throw new NoSuchFieldException(name);
    }
}
