package com.example.recorder;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Reads one case a line and writes one answer a line: {"id":…,"answer":{…}}. A case that the recorder itself cannot run
 * gives {"id":…,"broken":"reason"}: that is a fault of the recorder or of the case, never an answer of Dubbo.
 */
public final class Main {
    private Main() {
    }

    public static void main(String[] args) throws Exception {
        Logger.getLogger("").setLevel(Level.OFF);
        PrintStream answers = new PrintStream(new FileOutputStream(FileDescriptor.out), false, "UTF-8");
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        Gson gson = new GsonBuilder().disableHtmlEscaping().create();
        BufferedReader cases = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8), 1 << 20);
        try (Generation generation = new Generation()) {
            for (String line; (line = cases.readLine()) != null; ) {
                JsonObject c = JsonParser.parseString(line).getAsJsonObject();
                JsonObject out = new JsonObject();
                out.add("id", c.get("id"));
                try {
                    out.add("answer", new Run(generation, c).answer());
                } catch (Throwable t) {
                    out.addProperty("broken", trace(t));
                }
                answers.print(gson.toJson(out) + "\n");
                answers.flush();
            }
        }
        System.exit(0); // some releases leave threads behind
    }

    private static String trace(Throwable t) {
        StringBuilder b = new StringBuilder(t.toString());
        for (int i = 0; i < t.getStackTrace().length && i < 6; i++) {
            b.append(" < ").append(t.getStackTrace()[i]);
        }
        return t.getCause() == null ? b.toString() : b + " CAUSE " + trace(t.getCause());
    }
}
