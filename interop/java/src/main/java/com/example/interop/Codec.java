package com.example.interop;

import com.alibaba.com.caucho.hessian.io.Hessian2Input;
import com.alibaba.com.caucho.hessian.io.Hessian2Output;
import com.alibaba.com.caucho.hessian.io.SerializerFactory;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Java's own Hessian without a network. "dump" prints each sample as "name hex"; "check" reads such lines and
 * prints "name ok" or "name reason" after comparing with the sample of that name.
 */
public final class Codec {
    private Codec() {
    }

    public static void main(String[] args) throws Exception {
        SerializerFactory factory = new SerializerFactory(Codec.class.getClassLoader());
        if (args[0].equals("dump")) {
            for (Map.Entry<String, Object> e : Samples.all().entrySet()) {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                Hessian2Output out = new Hessian2Output(bytes);
                out.setSerializerFactory(factory);
                out.writeObject(e.getValue());
                out.flush();
                System.out.println(e.getKey() + " " + hex(bytes.toByteArray()));
            }
            return;
        }
        Map<String, Object> samples = Samples.all();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) {
            int space = line.indexOf(' ');
            String name = line.substring(0, space);
            Object want = samples.get(name);
            String verdict;
            try {
                Hessian2Input input = new Hessian2Input(new ByteArrayInputStream(bytes(line.substring(space + 1))));
                input.setSerializerFactory(factory);
                Object got = want == null ? input.readObject() : input.readObject(want.getClass());
                verdict = same(want, got) ? "ok" : "got " + describe(got) + ", want " + describe(want);
            } catch (Throwable t) {
                verdict = "threw " + t;
            }
            System.out.println(name + " " + verdict.replace('\n', ' '));
        }
    }

    static String describe(Object v) {
        String text = v instanceof Object[] ? Arrays.toString((Object[]) v) : String.valueOf(v);
        if (v instanceof List && ((List<?>) v).contains(v)) {
            text = "a list that contains itself";
        }
        return (v == null ? "" : v.getClass().getName() + " ") + (text.length() > 200 ? text.substring(0, 200) : text);
    }

    static boolean same(Object a, Object b) {
        if (a instanceof List && b instanceof List && ((List<?>) a).size() == 2 && ((List<?>) a).get(1) == a) {
            return ((List<?>) b).size() == 2 && ((List<?>) b).get(1) == b;
        }
        return Arrays.deepEquals(new Object[] {a}, new Object[] {b});
    }

    static String hex(byte[] bytes) {
        StringBuilder b = new StringBuilder();
        for (byte x : bytes) {
            b.append(Character.forDigit(x >> 4 & 15, 16)).append(Character.forDigit(x & 15, 16));
        }
        return b.toString();
    }

    static byte[] bytes(String hex) {
        byte[] out = new byte[hex.length() / 2];
        for (int i = 0; i < out.length; i++) {
            out[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
        }
        return out;
    }
}
