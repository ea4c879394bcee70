package com.example.interop;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.dubbo.config.ApplicationConfig;
import org.apache.dubbo.config.MethodConfig;
import org.apache.dubbo.config.ReferenceConfig;
import org.apache.dubbo.config.RegistryConfig;
import org.apache.dubbo.rpc.RpcContext;
import org.apache.dubbo.rpc.service.GenericService;

/**
 * Calls EchoService and prints what it found, one JSON line a check. System properties: registry or url, version, group,
 * application; mode "echo" (all types, through the interface), "generic" (through GenericService) or "who" (count calls of
 * whoami for each of the tags in "tags").
 */
public final class Consumer {
    private Consumer() {
    }

    public static void main(String[] args) throws Exception {
        String mode = System.getProperty("mode", "echo");
        switch (mode) {
            case "generic":
                generic();
                break;
            case "who":
                who(reference(EchoService.class, false).get());
                break;
            default:
                EchoService echo = reference(EchoService.class, false).get();
                primitives(echo);
                containers(echo);
                objects(echo);
                times(echo);
                behaviour(echo);
        }
        System.out.println("DONE");
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private static <T> ReferenceConfig<T> reference(Class<T> type, boolean generic) {
        ApplicationConfig app = new ApplicationConfig(System.getProperty("application", "echo-consumer"));
        app.setQosEnable(false);
        ReferenceConfig<T> reference = new ReferenceConfig<>();
        if (System.getProperty("registry") != null) {
            RegistryConfig registry = new RegistryConfig(System.getProperty("registry"));
            registry.setTimeout(20000);
            // Here the registry delivers providers only: with it on the ApplicationConfig and on the ReferenceConfig, a consumer of
            // 3.3.6 reads no rule document. One that is started by DubboBootstrap…registry() does (RowsConsumer).
            app.setRegistry(registry);
            reference.setRegistry(registry);
        } else {
            reference.setUrl(System.getProperty("url"));
        }
        reference.setApplication(app);
        if (generic) {
            reference.setInterface(EchoService.class.getName());
            reference.setGeneric("true");
        } else {
            reference.setInterface(type);
        }
        reference.setTimeout(5000);
        reference.setRetries(0);
        if (!System.getProperty("version", "").isEmpty()) {
            reference.setVersion(System.getProperty("version"));
        }
        if (!System.getProperty("group", "").isEmpty()) {
            reference.setGroup(System.getProperty("group"));
        }
        MethodConfig oneWay = new MethodConfig();
        oneWay.setName("remember");
        oneWay.setReturn(false);
        reference.setMethods(Collections.singletonList(oneWay));
        return reference;
    }

    private static void primitives(EchoService s) {
        Report.check("bool", true, () -> s.echoBool(true));
        Report.check("byte", (byte) -128, () -> s.echoByte((byte) -128));
        Report.check("short", (short) -32768, () -> s.echoShort((short) -32768));
        for (int v : new int[] {0, -17, 2048, 262144, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            Report.check("int:" + v, v, () -> s.echoInt(v));
        }
        for (long v : new long[] {0, -9, 2048, 1L << 31, Long.MAX_VALUE, Long.MIN_VALUE}) {
            Report.check("long:" + v, v, () -> s.echoLong(v));
        }
        Report.check("float", 1.1f, () -> s.echoFloat(1.1f));
        for (double v : new double[] {0, 1, -1, 3000, 0.001, Math.PI, Double.NaN, Double.NEGATIVE_INFINITY}) {
            Report.check("double:" + v, v, () -> s.echoDouble(v));
        }
        Report.check("char", '\u4e16', () -> s.echoChar('\u4e16'));
        Report.check("Boolean", Boolean.FALSE, () -> s.echoBoxedBool(false));
        Report.check("Byte", (byte) 7, () -> s.echoBoxedByte((byte) 7));
        Report.check("Short", (short) 7, () -> s.echoBoxedShort((short) 7));
        Report.check("Integer", 7, () -> s.echoBoxedInt(7));
        Report.check("Integer:null", null, () -> s.echoBoxedInt(null));
        Report.check("Long", 7L, () -> s.echoBoxedLong(7L));
        Report.check("Float", 7.5f, () -> s.echoBoxedFloat(7.5f));
        Report.check("Double", 7.25, () -> s.echoBoxedDouble(7.25));
        Report.check("Character", 'x', () -> s.echoBoxedChar('x'));
        for (String v : new String[] {"", "hello", "M\u00fcller \u4e16\u754c \ud83d\ude00", Samples.repeat("\ud83d\ude00", 40000), null}) {
            Report.check("String:" + (v == null ? "null" : v.length()), v, () -> s.echoString(v));
        }
        byte[] big = new byte[100000];
        Arrays.fill(big, (byte) -1);
        Report.check("byte[]", big, () -> s.echoBytes(big));
    }

    private static void containers(EchoService s) {
        Report.check("int[]", new int[] {1, 2, 1 << 30}, () -> s.echoInts(new int[] {1, 2, 1 << 30}));
        Report.check("long[]", new long[] {1, 1L << 40}, () -> s.echoLongs(new long[] {1, 1L << 40}));
        Report.check("double[]", new double[] {1.5}, () -> s.echoDoubles(new double[] {1.5}));
        Report.check("boolean[]", new boolean[] {true, false}, () -> s.echoBools(new boolean[] {true, false}));
        Report.check("String[]", new String[] {"a", null, "b"}, () -> s.echoStrings(new String[] {"a", null, "b"}));
        Object[] mixed = {1, "a", 2L, 2.5, null, true};
        Report.check("Object[]", mixed, () -> s.echoObjects(mixed));
        List<Object> list = Arrays.asList(1, "a", Samples.order());
        Report.check("List", list, () -> s.echoList(list));
        List<Order> orders = Arrays.asList(Samples.order(), Samples.order());
        Report.check("List<Order>", orders, () -> s.echoOrders(orders));
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("a", 1);
        map.put("b", Collections.singletonMap("c", Samples.order()));
        Report.check("Map", map, () -> s.echoMap(map));
        Map<Integer, String> byInt = new TreeMap<>();
        byInt.put(1, "one");
        Report.check("Map<Integer>", byInt, () -> s.echoIntMap(byInt));
        Report.check("Set", new HashSet<>(Arrays.asList("a", "b")), () -> s.echoSet(new HashSet<>(Arrays.asList("a", "b"))));
    }

    private static void objects(EchoService s) {
        Report.check("Date", new Date(1700000000123L), () -> s.echoDate(new Date(1700000000123L)));
        Report.check("BigDecimal", new BigDecimal("-1.500"), () -> s.echoBigDecimal(new BigDecimal("-1.500")));
        BigInteger huge = BigInteger.ONE.shiftLeft(200).negate();
        Report.check("BigInteger", huge, () -> s.echoBigInteger(huge).add(BigInteger.ONE).subtract(BigInteger.ONE));
        Report.check("Tier", Tier.GOLD, () -> s.echoTier(Tier.GOLD));
        Report.check("Order", Samples.order(), () -> s.echoOrder(Samples.order()));
        Report.check("Order:shared", true, () -> {
            Order o = s.echoOrder(Samples.order());
            return o.getGift() == o.getLines().get(0);
        });
        Report.check("Node", Node.ring("a", "b", "c"), () -> s.echoNode(Node.ring("a", "b", "c")));
        Report.check("Object:Order", Samples.order(), () -> s.echoObject(Samples.order()));
        Report.check("Object:null", null, () -> s.echoObject(null));
        UUID id = UUID.fromString("123e4567-e89b-12d3-a456-426614174000");
        Report.check("UUID", id, () -> s.echoUuid(id));
        Report.check("Locale", Locale.GERMANY, () -> s.echoLocale(Locale.GERMANY));
    }

    private static void times(EchoService s) {
        LocalDateTime at = LocalDateTime.of(2026, 2, 28, 13, 5, 59, 7);
        Report.check("LocalDate", at.toLocalDate(), () -> s.echoLocalDate(at.toLocalDate()));
        Report.check("LocalTime", at.toLocalTime(), () -> s.echoLocalTime(at.toLocalTime()));
        Report.check("LocalDateTime", at, () -> s.echoLocalDateTime(at));
        Instant instant = Instant.ofEpochSecond(1700000000L, 123456789);
        Report.check("Instant", instant, () -> s.echoInstant(instant));
        Report.check("Duration", Duration.ofMillis(-1500), () -> s.echoDuration(Duration.ofMillis(-1500)));
        OffsetDateTime offset = OffsetDateTime.parse("2026-02-28T13:05:59+08:00");
        Report.check("OffsetDateTime", offset, () -> s.echoOffsetDateTime(offset));
        ZonedDateTime zoned = ZonedDateTime.parse("2026-02-28T13:05:59+01:00[Europe/Berlin]");
        Report.check("ZonedDateTime", zoned, () -> s.echoZonedDateTime(zoned));
    }

    private static void behaviour(EchoService s) throws InterruptedException {
        Report.check("over(String)", "(String)x", () -> s.over("x"));
        Report.check("over(int)", "(int)7", () -> s.over(7));
        Report.check("over(long)", "(long)7", () -> s.over(7L));
        Report.check("over(Order)", "(Order)1234567890123", () -> s.over(Samples.order()));
        Report.check("over(String,int)", "(String,int)x7", () -> s.over("x", 7));
        Report.check("void", null, () -> {
            s.nothing();
            return null;
        });
        s.remember("one way");
        Thread.sleep(300);
        Report.check("one-way", "one way", s::remembered);
        Report.fails("checked exception", BusinessException.class, "no stock", () -> s.failChecked("no stock"));
        Report.fails("runtime exception", IllegalStateException.class, "broken", () -> s.failRuntime("broken"));
        Report.check("attachments", "t-1|\u4e16", () -> {
            RpcContext.getContext().setAttachment("trace", "t-1").setAttachment("unicode", "\u4e16");
            Map<String, String> seen = s.attachments();
            return seen.get("trace") + "|" + seen.get("unicode");
        });
        Report.check("slow", "slept 200", () -> s.slow(200));
    }

    private static void who(EchoService s) {
        int count = Integer.getInteger("count", 20);
        for (String tag : System.getProperty("tags", "").split(",", -1)) {
            Map<String, Integer> seen = new TreeMap<>();
            for (int i = 0; i < count; i++) {
                if (!tag.isEmpty()) {
                    RpcContext.getContext().setAttachment("dubbo.tag", tag);
                }
                String who;
                try {
                    who = s.whoami();
                } catch (RuntimeException e) {
                    who = "error: " + e.getClass().getSimpleName();
                }
                seen.merge(who, 1, Integer::sum);
            }
            Report.line("tag:" + tag, true, seen.toString());
        }
    }

    private static void generic() {
        GenericService s = reference(GenericService.class, true).get();
        Report.check("generic int", 7, () -> s.$invoke("echoInt", new String[] {"int"}, new Object[] {7}));
        Report.check("generic String", "x", () -> s.$invoke("echoString", new String[] {"java.lang.String"}, new Object[] {"x"}));
        Map<String, Object> line = new HashMap<>();
        line.put("class", "com.example.interop.Line");
        line.put("product", "pen");
        line.put("quantity", 3);
        Report.check("generic POJO", "pen", () -> ((Map<?, ?>) s.$invoke("echoObject", new String[] {"java.lang.Object"}, new Object[] {line})).get("product"));
        Report.check("generic overload", "(String,int)x7", () -> s.$invoke("over", new String[] {"java.lang.String", "int"}, new Object[] {"x", 7}));
        Report.check("generic exception", "com.example.interop.BusinessException", () -> {
            try {
                return s.$invoke("failChecked", new String[] {"java.lang.String"}, new Object[] {"no stock"});
            } catch (org.apache.dubbo.rpc.service.GenericException e) {
                return e.getExceptionClass();
            }
        });
    }
}
