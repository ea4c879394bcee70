package com.example.recorder;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Small helpers for the JSON of the corpus. */
final class Json {
    private Json() {
    }

    /** A text field; null when it is absent or null. */
    static String text(JsonObject o, String name) {
        JsonElement e = o.get(name);
        return e == null || e.isJsonNull() ? null : e.getAsString();
    }

    static int integer(JsonObject o, String name, int absent) {
        JsonElement e = o.get(name);
        return e == null || e.isJsonNull() ? absent : e.getAsInt();
    }

    static List<String> texts(JsonObject o, String name) {
        List<String> out = new ArrayList<>();
        if (o.has(name)) {
            for (JsonElement e : o.getAsJsonArray(name)) {
                out.add(e.getAsString());
            }
        }
        return out;
    }

    static int[] integers(JsonArray a) {
        int[] out = new int[a.size()];
        for (int i = 0; i < out.length; i++) {
            out[i] = a.get(i).getAsInt();
        }
        return out;
    }

    static Map<String, String> map(JsonObject o) {
        Map<String, String> out = new LinkedHashMap<>();
        for (Map.Entry<String, JsonElement> e : o.entrySet()) {
            out.put(e.getKey(), e.getValue().isJsonNull() ? null : e.getValue().getAsString());
        }
        return out;
    }

    /** Arguments: text is a String, a number an int, the rest as it is in JSON. */
    static Object[] arguments(JsonArray a) {
        Object[] out = new Object[a == null ? 0 : a.size()];
        for (int i = 0; i < out.length; i++) {
            JsonElement e = a.get(i);
            if (e.isJsonNull()) {
                continue;
            }
            JsonPrimitive p = e.getAsJsonPrimitive();
            if (p.isBoolean()) {
                out[i] = p.getAsBoolean();
            } else if (p.isNumber()) {
                out[i] = p.getAsInt();
            } else {
                out[i] = p.getAsString();
            }
        }
        return out;
    }

    static JsonObject error(String word) {
        JsonObject o = new JsonObject();
        o.addProperty("error", word);
        return o;
    }

    static JsonObject one(String name, Object value) {
        JsonObject o = new JsonObject();
        add(o, name, value);
        return o;
    }

    static void add(JsonObject o, String name, Object value) {
        if (value == null) {
            o.add(name, JsonNull.INSTANCE);
        } else if (value instanceof Boolean) {
            o.addProperty(name, (Boolean) value);
        } else if (value instanceof Number) {
            o.addProperty(name, (Number) value);
        } else {
            o.addProperty(name, value.toString());
        }
    }

    static JsonObject sorted(Map<String, String> map) {
        JsonObject o = new JsonObject();
        for (Map.Entry<String, String> e : new TreeMap<>(map).entrySet()) {
            add(o, e.getKey(), e.getValue());
        }
        return o;
    }

    static JsonArray array(Iterable<?> list) {
        JsonArray a = new JsonArray();
        for (Object o : list) {
            if (o instanceof Number) {
                a.add((Number) o);
            } else {
                a.add(o.toString());
            }
        }
        return a;
    }
}
