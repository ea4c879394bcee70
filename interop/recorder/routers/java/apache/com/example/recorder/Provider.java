package com.example.recorder;

import org.apache.dubbo.common.URL;
import org.apache.dubbo.rpc.Invocation;
import org.apache.dubbo.rpc.Invoker;
import org.apache.dubbo.rpc.Result;

import java.util.List;

/** An invoker that is only an address and a number. */
final class Provider implements Invoker<Object> {
    final int number;
    private final URL url;

    Provider(int number, URL url) {
        this.number = number;
        this.url = url;
    }

    /** The numbers of a list, null being empty. */
    static List<Integer> numbers(List<?> list) {
        List<Integer> out = new java.util.ArrayList<>();
        if (list != null) {
            for (Object p : list) {
                out.add(((Provider) p).number);
            }
        }
        return out;
    }

    @Override
    public Class<Object> getInterface() {
        return Object.class;
    }

    @Override
    public Result invoke(Invocation invocation) {
        throw new UnsupportedOperationException("routing only");
    }

    @Override
    public URL getUrl() {
        return url;
    }

    @Override
    public boolean isAvailable() {
        return true;
    }

    @Override
    public void destroy() {
    }
}
