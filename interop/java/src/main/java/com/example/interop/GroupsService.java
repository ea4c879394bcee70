package com.example.interop;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the rows of the comparison of groups call. Each answer names the provider, "group@number". */
public interface GroupsService {
    String name();

    List<String> items();

    Set<String> tags();

    Map<String, String> byKey();

    int[] codes();

    String[] texts();

    Long total();

    /** The providers of group g1 throw. */
    List<String> fails();
}
