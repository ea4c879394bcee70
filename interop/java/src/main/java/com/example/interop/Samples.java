package com.example.interop;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** Named values that both sides know; the Go tests hold the same ones. */
final class Samples {
    private Samples() {
    }

    static Order order() {
        Order o = new Order();
        o.setId(1234567890123L);
        o.setCustomer("M\u00fcller \u4e16\u754c \ud83d\ude00");
        o.setTier(Tier.GOLD);
        o.setPaid(true);
        o.setWeight(12.25);
        o.setCreated(new Date(1700000000123L));
        List<Line> lines = new ArrayList<>();
        lines.add(new Line("pen", 3, new BigDecimal("1.50")));
        lines.add(new Line("ink", 1, new BigDecimal("20")));
        o.setLines(lines);
        Map<String, String> labels = new HashMap<>();
        labels.put("region", "eu");
        o.setLabels(labels);
        o.setGift(lines.get(0)); // shared on purpose
        return o;
    }

    static String repeat(String s, int n) {
        StringBuilder b = new StringBuilder(s.length() * n);
        for (int i = 0; i < n; i++) {
            b.append(s);
        }
        return b.toString();
    }

    static Map<String, Object> all() {
        Map<String, Object> m = new LinkedHashMap<>();
        m.put("null", null);
        m.put("true", true);
        m.put("false", false);
        for (int i : new int[] {0, 1, -1, -16, -17, 47, 48, 127, 128, -128, 2047, 2048, -2048, -2049, 262143, 262144, -262144, -262145, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            m.put("int:" + i, i);
        }
        for (long i : new long[] {0, 1, -1, -8, -9, 15, 16, 2047, 2048, -2048, -2049, 262143, 262144, -262144, -262145, Integer.MAX_VALUE, Integer.MIN_VALUE, 1L << 31, -(1L << 31) - 1, Long.MAX_VALUE, Long.MIN_VALUE}) {
            m.put("long:" + i, i);
        }
        for (double d : new double[] {0, 1, -1, 127, 128, -128, -129, 32767, 32768, -32768, 0.001, -0.001, 12.25, 3.14159, 65.536, 1e100, -1e-100, 2147483.647}) {
            m.put("double:" + d, d);
        }
        m.put("double:max", Double.MAX_VALUE);
        m.put("double:min", Double.MIN_VALUE);
        m.put("double:nan", Double.NaN);
        m.put("double:inf", Double.POSITIVE_INFINITY);
        m.put("byte", (byte) -7);
        m.put("short", (short) 1234);
        m.put("float", 1.5f);
        m.put("char", 'x');
        m.put("string:empty", "");
        m.put("string:short", "hello");
        m.put("string:31", repeat("a", 31));
        m.put("string:32", repeat("a", 32));
        m.put("string:1023", repeat("b", 1023));
        m.put("string:1024", repeat("b", 1024));
        m.put("string:utf", "M\u00fcller \u4e16\u754c \ud83d\ude00 \u0000 end");
        m.put("string:32768", repeat("c", 32768));
        m.put("string:32769", repeat("c", 32769));
        m.put("string:emoji", repeat("a", 32767) + "\ud83d\ude00" + repeat("\ud83d\ude00", 20000));
        m.put("bytes:empty", new byte[0]);
        m.put("bytes:15", repeat("x", 15).getBytes());
        m.put("bytes:16", repeat("x", 16).getBytes());
        m.put("bytes:1024", repeat("x", 1024).getBytes());
        m.put("bytes:70000", repeat("x", 70000).getBytes());
        m.put("date:ms", new Date(1700000000123L));
        m.put("date:minute", new Date(1700000040000L));
        m.put("date:old", new Date(-12345678901L));
        m.put("sql:timestamp", new java.sql.Timestamp(1700000000123L));
        m.put("ints", new int[] {1, 2, 300000});
        m.put("longs", new long[] {1, 2, 1L << 40});
        m.put("shorts", new short[] {1, -2});
        m.put("floats", new float[] {1.5f, -2});
        m.put("doubles", new double[] {1.5, -2});
        m.put("bools", new boolean[] {true, false});
        m.put("strings", new String[] {"a", "b"});
        m.put("strings:null", new String[] {"a", null});
        m.put("objects", new Object[] {1, "a", 2L, null});
        m.put("list", new ArrayList<>(Arrays.asList(1, "a", 2.5)));
        m.put("list:8", new ArrayList<>(Arrays.asList(1, 2, 3, 4, 5, 6, 7, 8)));
        m.put("list:linked", new LinkedList<>(Arrays.asList("a", "b")));
        m.put("list:empty", new ArrayList<>());
        m.put("list:aslist", Arrays.asList("a", "b"));
        m.put("list:singleton", Collections.singletonList("a"));
        m.put("set", new HashSet<>(Collections.singletonList("a")));
        m.put("set:linked", new LinkedHashSet<>(Arrays.asList("a", "b")));
        m.put("map", new HashMap<>(Collections.singletonMap("k", "v")));
        Map<Integer, String> byInt = new HashMap<>();
        byInt.put(1, "one");
        m.put("map:int", byInt);
        m.put("map:tree", new TreeMap<>(Collections.singletonMap("k", 7)));
        m.put("map:linked", new LinkedHashMap<>(Collections.singletonMap("k", 7L)));
        m.put("map:empty", new HashMap<>());
        m.put("decimal", new BigDecimal("-12345678901234567890.1200"));
        m.put("biginteger", new BigInteger("-123456789012345678901234567890"));
        m.put("biginteger:0", BigInteger.ZERO);
        m.put("enum", Tier.SILVER);
        m.put("order", order());
        m.put("orders", new ArrayList<>(Arrays.asList(order(), order())));
        m.put("ring", Node.ring("a", "b", "c"));
        List<Object> self = new ArrayList<>();
        self.add("self");
        self.add(self);
        m.put("list:self", self);
        m.put("localdate", LocalDate.of(2026, 2, 28));
        m.put("localtime", LocalTime.of(13, 5, 59, 123456789));
        m.put("localdatetime", LocalDateTime.of(2026, 2, 28, 13, 5, 59, 7));
        m.put("instant", Instant.ofEpochSecond(1700000000L, 123456789));
        m.put("duration", Duration.ofSeconds(-2, 500000000));
        m.put("period", Period.of(1, 2, 3));
        m.put("offsetdatetime", OffsetDateTime.of(2026, 2, 28, 13, 5, 59, 0, ZoneOffset.ofHours(8)));
        m.put("zoneddatetime", ZonedDateTime.of(2026, 2, 28, 13, 5, 59, 0, ZoneId.of("Europe/Berlin")));
        m.put("uuid", UUID.fromString("123e4567-e89b-12d3-a456-426614174000"));
        m.put("locale", Locale.GERMANY);
        // A time between shared objects: shows whether both sides count references alike.
        Line shared = new Line("cap", 1, new BigDecimal("9"));
        m.put("counting", new ArrayList<>(Arrays.asList(shared, LocalDateTime.of(2026, 1, 1, 0, 0), Locale.GERMANY, new BigDecimal("1"), BigInteger.TEN, Tier.GOLD, UUID.fromString("123e4567-e89b-12d3-a456-426614174000"), shared)));
        return m;
    }
}
