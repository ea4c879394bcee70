package com.example.recorder;

import org.apache.dubbo.common.config.configcenter.ConfigChangeType;
import org.apache.dubbo.common.config.configcenter.ConfigChangedEvent;
import org.apache.dubbo.common.config.configcenter.ConfigurationListener;
import org.apache.dubbo.common.config.configcenter.DynamicConfiguration;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A config centre held in memory: group "dubbo" only; what a listener raises is swallowed, as its real clients do. */
final class Centre implements DynamicConfiguration {
    private static final String GROUP = "dubbo";

    private final Map<String, String> texts = new LinkedHashMap<>();
    private final Map<String, Set<ConfigurationListener>> listeners = new LinkedHashMap<>();

    void reset() {
        texts.clear();
        listeners.clear();
    }

    void document(String key, String text) {
        boolean present = texts.containsKey(key);
        if (text == null) {
            if (!present) {
                fire(key, "", ConfigChangeType.DELETED);
                return;
            }
            fire(key, texts.remove(key), ConfigChangeType.DELETED);
            return;
        }
        texts.put(key, text);
        fire(key, text, present ? ConfigChangeType.MODIFIED : ConfigChangeType.ADDED);
    }

    /** Stores without telling anybody. */
    void put(String key, String text) {
        texts.put(key, text);
    }

    private void fire(String key, String text, ConfigChangeType type) {
        List<ConfigurationListener> copy = new ArrayList<>(listeners.getOrDefault(key, new LinkedHashSet<>()));
        for (ConfigurationListener l : copy) {
            try {
                l.process(new ConfigChangedEvent(key, GROUP, text, type));
            } catch (Exception | StackOverflowError e) {
                // the old rule stays
            }
        }
    }

    @Override
    public void addListener(String key, String group, ConfigurationListener listener) {
        if (GROUP.equals(group)) {
            listeners.computeIfAbsent(key, k -> new LinkedHashSet<>()).add(listener);
        }
    }

    @Override
    public void removeListener(String key, String group, ConfigurationListener listener) {
        if (GROUP.equals(group) && listeners.containsKey(key)) {
            listeners.get(key).remove(listener);
        }
    }

    @Override
    public String getConfig(String key, String group, long timeout) {
        return GROUP.equals(group) ? texts.get(key) : null;
    }

    @Override
    public Object getInternalProperty(String key) {
        return null;
    }
}
