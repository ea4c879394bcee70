package com.example.recorder;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.apache.dubbo.common.URL;
import org.apache.dubbo.rpc.cluster.Configurator;

/** Area override: registry URLs or a configurator document, applied to one URL. */
final class OverrideArea {
    private OverrideArea() {
    }

    static JsonObject record(JsonObject c) throws Exception {
        JsonObject rules = c.getAsJsonObject("rules");
        boolean document = rules.has("yaml");
        if (document && !Generation.readsDocuments()) {
            return null;
        }
        Generation.localHost(Json.text(c, "localHost"));
        URL target;
        List<URL> urls = new ArrayList<>();
        JsonArray made = null;
        try {
            target = Generation.parse(Json.text(c, "target"));
            if (!document) {
                for (String u : Json.texts(rules, "urls")) {
                    urls.add(Generation.parse(u));
                }
            }
        } catch (RuntimeException e) {
            return Json.error("bad-url");
        }
        if (document) {
            try {
                urls = Generation.document(Json.text(rules, "yaml"));
            } catch (Exception e) {
                return Json.error("bad-document");
            }
            made = new JsonArray();
            for (URL u : urls) {
                made.add(u.toFullString());
            }
        }
        JsonObject o = new JsonObject();
        try {
            List<Configurator> list = Generation.configurators(urls);
            URL result = target;
            for (Configurator f : list) {
                result = f.configure(result);
            }
            o.add("params", Json.sorted(result.getParameters()));
            if (!result.getProtocol().equals(target.getProtocol()) || result.getPort() != target.getPort()
                    || !String.valueOf(result.getHost()).equals(String.valueOf(target.getHost()))) {
                o.addProperty("url", result.toFullString());
            }
        } catch (NumberFormatException e) {
            o.addProperty("error", "bad-number");
        } catch (RuntimeException e) {
            o.addProperty("error", "configure-failed");
        }
        if (made != null) {
            o.add("ruleUrls", made);
        }
        return o;
    }
}
