package com.example.recorder;

import org.apache.dubbo.common.URL;
import org.apache.dubbo.rpc.Invocation;
import org.apache.dubbo.rpc.Invoker;
import org.apache.dubbo.rpc.Result;

/** An invoker that calls nobody and counts in its ledger when it is made and destroyed. */
final class Counted<T> implements Invoker<T> {
    /** How many invokers were made and destroyed. */
    static final class Ledger {
        int refers;
        int destroys;
    }

    private final Class<T> type;
    private final URL url;
    private final Ledger ledger;
    private boolean destroyed;

    Counted(Class<T> type, URL url, Ledger ledger) {
        this.type = type;
        this.url = url;
        this.ledger = ledger;
        ledger.refers++;
    }

    @Override
    public Class<T> getInterface() {
        return type;
    }

    @Override
    public Result invoke(Invocation invocation) {
        throw new UnsupportedOperationException();
    }

    @Override
    public URL getUrl() {
        return url;
    }

    @Override
    public boolean isAvailable() {
        return !destroyed;
    }

    @Override
    public void destroy() {
        if (!destroyed) {
            destroyed = true;
            ledger.destroys++;
        }
    }
}
