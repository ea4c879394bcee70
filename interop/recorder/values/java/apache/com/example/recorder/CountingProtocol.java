package com.example.recorder;

import org.apache.dubbo.common.URL;
import org.apache.dubbo.rpc.Exporter;
import org.apache.dubbo.rpc.Invoker;
import org.apache.dubbo.rpc.Protocol;

/** A protocol whose invokers call nobody. */
final class CountingProtocol implements Protocol {
    private final Counted.Ledger ledger;

    CountingProtocol(Counted.Ledger ledger) {
        this.ledger = ledger;
    }

    @Override
    public int getDefaultPort() {
        return 20880;
    }

    @Override
    public <T> Exporter<T> export(Invoker<T> invoker) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T> Invoker<T> refer(Class<T> type, URL url) {
        return new Counted<>(type, url, ledger);
    }

    @Override
    public void destroy() {
    }
}
