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
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.dubbo.rpc.RpcContext;

/** The provider's side of EchoService. */
public class EchoServiceImpl implements EchoService {
    private final String who;
    private volatile String remembered = "";

    public EchoServiceImpl(String who) {
        this.who = who;
    }

    @Override
    public boolean echoBool(boolean v) {
        return v;
    }

    @Override
    public byte echoByte(byte v) {
        return v;
    }

    @Override
    public short echoShort(short v) {
        return v;
    }

    @Override
    public int echoInt(int v) {
        return v;
    }

    @Override
    public long echoLong(long v) {
        return v;
    }

    @Override
    public float echoFloat(float v) {
        return v;
    }

    @Override
    public double echoDouble(double v) {
        return v;
    }

    @Override
    public char echoChar(char v) {
        return v;
    }

    @Override
    public Boolean echoBoxedBool(Boolean v) {
        return v;
    }

    @Override
    public Byte echoBoxedByte(Byte v) {
        return v;
    }

    @Override
    public Short echoBoxedShort(Short v) {
        return v;
    }

    @Override
    public Integer echoBoxedInt(Integer v) {
        return v;
    }

    @Override
    public Long echoBoxedLong(Long v) {
        return v;
    }

    @Override
    public Float echoBoxedFloat(Float v) {
        return v;
    }

    @Override
    public Double echoBoxedDouble(Double v) {
        return v;
    }

    @Override
    public Character echoBoxedChar(Character v) {
        return v;
    }

    @Override
    public String echoString(String v) {
        return v;
    }

    @Override
    public byte[] echoBytes(byte[] v) {
        return v;
    }

    @Override
    public int[] echoInts(int[] v) {
        return v;
    }

    @Override
    public long[] echoLongs(long[] v) {
        return v;
    }

    @Override
    public double[] echoDoubles(double[] v) {
        return v;
    }

    @Override
    public boolean[] echoBools(boolean[] v) {
        return v;
    }

    @Override
    public String[] echoStrings(String[] v) {
        return v;
    }

    @Override
    public Object[] echoObjects(Object[] v) {
        return v;
    }

    @Override
    public List<Object> echoList(List<Object> v) {
        return v;
    }

    @Override
    public List<Order> echoOrders(List<Order> v) {
        for (Order order : v) { // fails when an element is a map in disguise
            order.getId();
        }
        return v;
    }

    @Override
    public Map<String, Object> echoMap(Map<String, Object> v) {
        return v;
    }

    @Override
    public Map<Integer, String> echoIntMap(Map<Integer, String> v) {
        return v;
    }

    @Override
    public Set<String> echoSet(Set<String> v) {
        return v;
    }

    @Override
    public Date echoDate(Date v) {
        return v;
    }

    @Override
    public BigDecimal echoBigDecimal(BigDecimal v) {
        return v;
    }

    @Override
    public BigInteger echoBigInteger(BigInteger v) {
        // Arithmetic shows whether the value is whole, beyond what equals compares.
        return v == null ? null : v.add(BigInteger.ONE).subtract(BigInteger.ONE);
    }

    @Override
    public Tier echoTier(Tier v) {
        return v;
    }

    @Override
    public Order echoOrder(Order v) {
        return v;
    }

    @Override
    public Node echoNode(Node v) {
        return v;
    }

    @Override
    public LocalDate echoLocalDate(LocalDate v) {
        return v;
    }

    @Override
    public LocalTime echoLocalTime(LocalTime v) {
        return v;
    }

    @Override
    public LocalDateTime echoLocalDateTime(LocalDateTime v) {
        return v;
    }

    @Override
    public Instant echoInstant(Instant v) {
        return v;
    }

    @Override
    public Duration echoDuration(Duration v) {
        return v;
    }

    @Override
    public OffsetDateTime echoOffsetDateTime(OffsetDateTime v) {
        return v;
    }

    @Override
    public ZonedDateTime echoZonedDateTime(ZonedDateTime v) {
        return v;
    }

    @Override
    public UUID echoUuid(UUID v) {
        return v;
    }

    @Override
    public Locale echoLocale(Locale v) {
        return v;
    }

    @Override
    public Object echoObject(Object v) {
        return v;
    }

    @Override
    public String over(String v) {
        return "(String)" + v;
    }

    @Override
    public String over(int v) {
        return "(int)" + v;
    }

    @Override
    public String over(long v) {
        return "(long)" + v;
    }

    @Override
    public String over(Order v) {
        return "(Order)" + v.getId();
    }

    @Override
    public String over(String a, int b) {
        return "(String,int)" + a + b;
    }

    @Override
    public void nothing() {
    }

    @Override
    public void remember(String v) {
        remembered = v;
    }

    @Override
    public String remembered() {
        return remembered;
    }

    @Override
    public String failChecked(String message) throws BusinessException {
        throw new BusinessException(message);
    }

    @Override
    public String failRuntime(String message) {
        throw new IllegalStateException(message);
    }

    @Override
    public String failWithCause(String message) throws BusinessException {
        throw new BusinessException(message, new IllegalArgumentException("the cause"));
    }

    @Override
    public Map<String, String> attachments() {
        Map<String, String> out = new TreeMap<>();
        for (Map.Entry<String, Object> e : RpcContext.getContext().getObjectAttachments().entrySet()) {
            out.put(e.getKey(), String.valueOf(e.getValue()));
        }
        RpcContext.getServerContext().setAttachment("answered-by", who);
        return out;
    }

    @Override
    public String whoami() {
        return who;
    }

    @Override
    public String slow(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return "slept " + millis;
    }
}
