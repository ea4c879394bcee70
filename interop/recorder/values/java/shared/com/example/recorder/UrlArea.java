package com.example.recorder;

import com.google.gson.JsonObject;
import java.util.Map;
import org.apache.dubbo.common.URL;
import org.apache.dubbo.common.utils.UrlUtils;

/** Area url: one operation on URLs, patterns or addresses. */
final class UrlArea {
    private UrlArea() {
    }

    static JsonObject record(JsonObject c) {
        String op = c.get("op").getAsString();
        if (op.equals("ip") && !Generation.matchesAddresses()) {
            return null;
        }
        try {
            return run(op, c);
        } catch (NumberFormatException e) {
            return Json.error("bad-number");
        } catch (java.net.UnknownHostException e) {
            return Json.error("bad-host");
        } catch (IllegalArgumentException | IllegalStateException e) {
            return Json.error(op.equals("ip") ? "bad-pattern" : op.equals("decode") ? "bad-encoding" : "bad-url");
        } catch (Exception e) {
            return Json.error("failed");
        }
    }

    private static JsonObject run(String op, JsonObject c) throws Exception {
        switch (op) {
            case "parse":
                return parts(Generation.parse(Json.text(c, "url")));
            case "parseEncoded":
                return parts(Generation.parseEncoded(Json.text(c, "url")));
            case "encode":
                return Json.one("value", URL.encode(Json.text(c, "text")));
            case "decode":
                return Json.one("value", URL.decode(Json.text(c, "text")));
            case "match":
                return match(UrlUtils.isMatch(Generation.parse(Json.text(c, "consumer")), Generation.parse(Json.text(c, "provider"))));
            case "category":
                return match(UrlUtils.isMatchCategory(Json.text(c, "category"), Json.text(c, "wanted")));
            case "glob":
                return match(UrlUtils.isMatchGlobPattern(Json.text(c, "pattern"), Json.text(c, "value"),
                        c.has("param") ? Generation.parse(Json.text(c, "param")) : null));
            case "ip":
                return match(Generation.matchAddress(Json.text(c, "pattern"), Json.text(c, "host"), c.get("port").getAsInt()));
            case "methodParam":
                return Json.one("value", Generation.parse(Json.text(c, "url")).getMethodParameter(Json.text(c, "method"), Json.text(c, "key")));
            case "intParam":
                return Json.one("value", Generation.parse(Json.text(c, "url")).getParameter(Json.text(c, "key"), c.get("default").getAsInt()));
            case "boolParam":
                return Json.one("value", Generation.parse(Json.text(c, "url")).getParameter(Json.text(c, "key"), c.get("default").getAsBoolean()));
            case "merge":
                URL merged = Generation.merge(Generation.parse(Json.text(c, "provider")), Json.map(c.getAsJsonObject("consumerParams")));
                JsonObject o = new JsonObject();
                o.add("params", Json.sorted(merged.getParameters()));
                return o;
            default:
                throw new AssertionError(op);
        }
    }

    private static JsonObject match(boolean yes) {
        return Json.one("match", yes);
    }

    private static JsonObject parts(URL u) {
        JsonObject o = new JsonObject();
        Json.add(o, "protocol", u.getProtocol());
        Json.add(o, "username", u.getUsername());
        Json.add(o, "password", u.getPassword());
        Json.add(o, "host", u.getHost());
        Json.add(o, "port", u.getPort());
        Json.add(o, "path", u.getPath());
        Map<String, String> params = u.getParameters();
        o.add("params", Json.sorted(params));
        Json.add(o, "address", u.getAddress());
        Json.add(o, "full", u.toFullString());
        Json.add(o, "string", u.toString());
        Json.add(o, "serviceKey", u.getServiceKey());
        Json.add(o, "interface", u.getServiceInterface());
        Generation.addRuleKey(o, u);
        return o;
    }
}
