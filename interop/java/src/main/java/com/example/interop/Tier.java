package com.example.interop;

/** An enum that rides in echo calls. */
public enum Tier {
    BRONZE, SILVER, GOLD
}
