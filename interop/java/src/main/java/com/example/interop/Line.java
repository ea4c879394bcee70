package com.example.interop;

import java.io.Serializable;
import java.math.BigDecimal;
import java.util.Objects;

/** One line of an order. */
public class Line implements Serializable {
    private static final long serialVersionUID = 1L;

    private String product;
    private int quantity;
    private BigDecimal price;

    public Line() {
    }

    public Line(String product, int quantity, BigDecimal price) {
        this.product = product;
        this.quantity = quantity;
        this.price = price;
    }

    public String getProduct() {
        return product;
    }

    public void setProduct(String product) {
        this.product = product;
    }

    public int getQuantity() {
        return quantity;
    }

    public void setQuantity(int quantity) {
        this.quantity = quantity;
    }

    public BigDecimal getPrice() {
        return price;
    }

    public void setPrice(BigDecimal price) {
        this.price = price;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof Line)) {
            return false;
        }
        Line o = (Line) other;
        return Objects.equals(product, o.product) && quantity == o.quantity && Objects.equals(price, o.price);
    }

    @Override
    public int hashCode() {
        return Objects.hash(product, quantity, price);
    }

    @Override
    public String toString() {
        return product + "*" + quantity + "@" + price;
    }
}
