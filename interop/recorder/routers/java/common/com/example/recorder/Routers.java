package com.example.recorder;

import java.util.List;

/** The routers of one case over its config centre. Every method may raise what Dubbo raises. */
public interface Routers extends AutoCloseable {
    /** Hands a provider list, given by numbers, to the routers. */
    void providers(int[] use) throws Exception;

    /** Stores a document and tells the listeners; text null deletes it. */
    void document(String key, String text) throws Exception;

    /** Routes a call over the latest list and returns the numbers of what is left. */
    List<Integer> route(Object invocation) throws Exception;

    @Override
    default void close() {
    }
}
