package com.example.recorder;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.apache.dubbo.common.config.configcenter.ConfigChangeType;
import org.apache.dubbo.common.config.configcenter.ConfigChangedEvent;
import org.apache.dubbo.common.config.configcenter.ConfigurationListener;
import org.apache.dubbo.common.config.configcenter.DynamicConfiguration;

/** A config centre in memory: it keeps text by key and tells the listeners. */
final class MemoryCenter implements DynamicConfiguration {
    private final Map<String, String> documents = new HashMap<>();
    private final Map<String, Set<ConfigurationListener>> listeners = new HashMap<>();

    /** Forgets all documents and all listeners but those of the key kept. */
    void reset(String kept) {
        for (String key : new ArrayList<>(documents.keySet())) {
            delete(key);
        }
        listeners.keySet().removeIf(key -> !key.equals(kept));
    }

    void set(String key, String text) {
        String old = documents.put(key, text);
        tell(key, text, old == null ? ConfigChangeType.ADDED : ConfigChangeType.MODIFIED);
    }

    void delete(String key) {
        documents.remove(key);
        tell(key, null, ConfigChangeType.DELETED);
    }

    private void tell(String key, String text, ConfigChangeType type) {
        for (ConfigurationListener l : new ArrayList<>(listeners.getOrDefault(key, new LinkedHashSet<>()))) {
            try {
                l.process(new ConfigChangedEvent(key, DEFAULT_GROUP, text, type));
            } catch (RuntimeException e) {
                // Clients of real config centres swallow what a listener throws.
            }
        }
    }

    @Override
    public void addListener(String key, String group, ConfigurationListener listener) {
        listeners.computeIfAbsent(key, k -> new LinkedHashSet<>()).add(listener);
    }

    @Override
    public void removeListener(String key, String group, ConfigurationListener listener) {
        listeners.getOrDefault(key, new LinkedHashSet<>()).remove(listener);
    }

    @Override
    public String getConfig(String key, String group, long timeout) {
        return documents.get(key);
    }

    @Override
    public Object getInternalProperty(String key) {
        return null;
    }
}
