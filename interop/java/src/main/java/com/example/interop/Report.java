package com.example.interop;

import java.util.concurrent.Callable;

/** Prints one JSON line for each check; the Go side reads them. */
final class Report {
    private Report() {
    }

    static void check(String name, Object want, Callable<Object> call) {
        try {
            Object got = call.call();
            boolean ok = Codec.same(want, got);
            line(name, ok, ok ? "" : "got " + Codec.describe(got) + ", want " + Codec.describe(want));
        } catch (Throwable t) {
            line(name, false, "threw " + t);
        }
    }

    /** The call must throw an exception of exactly that class, with that message. */
    static void fails(String name, Class<? extends Throwable> type, String message, Callable<Object> call) {
        try {
            line(name, false, "answered " + call.call());
        } catch (Throwable t) {
            boolean ok = t.getClass() == type && String.valueOf(t.getMessage()).contains(message);
            line(name, ok, ok ? "" : "threw " + t);
        }
    }

    static void line(String name, boolean ok, String detail) {
        System.out.println("{\"check\":" + quote(name) + ",\"ok\":" + ok + ",\"detail\":" + quote(detail) + "}");
    }

    static String quote(String s) {
        StringBuilder b = new StringBuilder("\"");
        for (char c : s.toCharArray()) {
            if (c == '"' || c == '\\') {
                b.append('\\').append(c);
            } else if (c < 32 || c > 126) {
                b.append(String.format("\\u%04x", (int) c));
            } else {
                b.append(c);
            }
        }
        return b.append('"').toString();
    }
}
