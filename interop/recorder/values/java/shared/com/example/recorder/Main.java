package com.example.recorder;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Reads cases, one JSON object a line, from standard input and writes for each one line to standard output: the answer of the
 * Dubbo version on the class path, or "null" where the case does not apply to that version.
 */
public final class Main {
    private Main() {
    }

    public static void main(String[] args) throws Exception {
        // Loggers of the libraries may print: they get standard error.
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, "UTF-8");
        System.setOut(System.err);
        Gson gson = new GsonBuilder().serializeNulls().disableHtmlEscaping().create();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Generation.start();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            JsonObject c = JsonParser.parseString(line).getAsJsonObject();
            JsonElement answer = answer(c);
            out.println(gson.toJson(answer));
        }
        out.flush();
        Runtime.getRuntime().halt(0); // some versions leave threads behind
    }

    private static JsonElement answer(JsonObject c) throws Exception {
        switch (c.get("area").getAsString()) {
            case "url":
                return UrlArea.record(c);
            case "condition-parse":
                return ConditionParseArea.record(c);
            case "override":
                return OverrideArea.record(c);
            case "directory":
                return DirectoryArea.record(c);
            case "load-balance":
                return LoadBalanceArea.record(c);
            default:
                throw new IllegalArgumentException("area " + c.get("area"));
        }
    }
}
