package com.example.recorder;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;

import java.util.LinkedHashMap;
import java.util.Map;

/** A call of a case as Java values. */
public final class Arguments {
    public final String method;
    public final Class<?>[] types;
    public final Object[] values;
    public final boolean generic;
    /** Values are String, or a number where the case wants an attachment that is no text. */
    public final Map<String, Object> attachments = new LinkedHashMap<>();

    public Arguments(JsonObject call) throws ClassNotFoundException {
        JsonArray args = call.has("args") ? call.getAsJsonArray("args") : new JsonArray();
        Class<?>[] types = new Class<?>[args.size()];
        String[] names = new String[args.size()];
        Object[] values = new Object[args.size()];
        for (int i = 0; i < values.length; i++) {
            names[i] = call.has("argTypes") ? call.getAsJsonArray("argTypes").get(i).getAsString() : "java.lang.String";
            types[i] = type(names[i]);
            values[i] = value(args.get(i), names[i]);
        }
        String name = call.get("method").getAsString();
        generic = call.has("generic") && call.get("generic").getAsBoolean();
        if (generic) {
            method = "$invoke";
            this.types = new Class<?>[] {String.class, String[].class, Object[].class};
            this.values = new Object[] {name, names, values};
        } else {
            method = name;
            this.types = types;
            this.values = values;
        }
        if (call.has("attachments")) {
            for (Map.Entry<String, JsonElement> e : call.getAsJsonObject("attachments").entrySet()) {
                attachments.put(e.getKey(), value(e.getValue(), ""));
            }
        }
    }

    private static Class<?> type(String name) throws ClassNotFoundException {
        switch (name) {
            case "int": return int.class;
            case "long": return long.class;
            case "boolean": return boolean.class;
            case "double": return double.class;
            default: return Class.forName(name);
        }
    }

    private static Object value(JsonElement e, String type) {
        if (e.isJsonNull()) {
            return null;
        }
        if (e.getAsJsonPrimitive().isBoolean()) {
            return e.getAsBoolean();
        }
        if (!e.getAsJsonPrimitive().isNumber()) {
            return e.getAsString();
        }
        if (type.equals("double") || type.equals("java.lang.Double")) {
            return e.getAsDouble();
        }
        if (type.equals("long") || type.equals("java.lang.Long")) {
            return e.getAsLong();
        }
        return e.getAsInt();
    }
}
