package com.example.interop;

/** What the rows of the routing comparison call. Each method answers "host:port" of the provider that served. */
public interface RowsService {
    String get(String id);

    String put(String id, int count);

    String list();

    String find(String name);
}
