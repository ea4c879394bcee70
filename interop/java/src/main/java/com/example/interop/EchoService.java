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
import java.util.UUID;

/** Each echo method answers its argument. */
public interface EchoService {
    boolean echoBool(boolean v);

    byte echoByte(byte v);

    short echoShort(short v);

    int echoInt(int v);

    long echoLong(long v);

    float echoFloat(float v);

    double echoDouble(double v);

    char echoChar(char v);

    Boolean echoBoxedBool(Boolean v);

    Byte echoBoxedByte(Byte v);

    Short echoBoxedShort(Short v);

    Integer echoBoxedInt(Integer v);

    Long echoBoxedLong(Long v);

    Float echoBoxedFloat(Float v);

    Double echoBoxedDouble(Double v);

    Character echoBoxedChar(Character v);

    String echoString(String v);

    byte[] echoBytes(byte[] v);

    int[] echoInts(int[] v);

    long[] echoLongs(long[] v);

    double[] echoDoubles(double[] v);

    boolean[] echoBools(boolean[] v);

    String[] echoStrings(String[] v);

    Object[] echoObjects(Object[] v);

    List<Object> echoList(List<Object> v);

    List<Order> echoOrders(List<Order> v);

    Map<String, Object> echoMap(Map<String, Object> v);

    Map<Integer, String> echoIntMap(Map<Integer, String> v);

    Set<String> echoSet(Set<String> v);

    Date echoDate(Date v);

    BigDecimal echoBigDecimal(BigDecimal v);

    BigInteger echoBigInteger(BigInteger v);

    Tier echoTier(Tier v);

    Order echoOrder(Order v);

    Node echoNode(Node v);

    LocalDate echoLocalDate(LocalDate v);

    LocalTime echoLocalTime(LocalTime v);

    LocalDateTime echoLocalDateTime(LocalDateTime v);

    Instant echoInstant(Instant v);

    Duration echoDuration(Duration v);

    OffsetDateTime echoOffsetDateTime(OffsetDateTime v);

    ZonedDateTime echoZonedDateTime(ZonedDateTime v);

    UUID echoUuid(UUID v);

    Locale echoLocale(Locale v);

    Object echoObject(Object v);

    /** The overloads answer their own descriptor and the argument. */
    String over(String v);

    String over(int v);

    String over(long v);

    String over(Order v);

    String over(String a, int b);

    void nothing();

    /** Remembers v; meant for one-way calls. */
    void remember(String v);

    String remembered();

    String failChecked(String message) throws BusinessException;

    String failRuntime(String message);

    String failWithCause(String message) throws BusinessException;

    /** Answers the attachments that the provider sees, and adds the response attachment "answered-by". */
    Map<String, String> attachments();

    /** Answers "host:port|tag|application" of the provider that served. */
    String whoami();

    String slow(long millis);
}
