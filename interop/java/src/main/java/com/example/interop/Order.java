package com.example.interop;

import java.io.Serializable;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A business object with nested objects. */
public class Order implements Serializable {
    private static final long serialVersionUID = 1L;

    private long id;
    private String customer;
    private Tier tier;
    private boolean paid;
    private double weight;
    private Date created;
    private List<Line> lines;
    private Map<String, String> labels;
    private Line gift;

    public long getId() {
        return id;
    }

    public void setId(long id) {
        this.id = id;
    }

    public String getCustomer() {
        return customer;
    }

    public void setCustomer(String customer) {
        this.customer = customer;
    }

    public Tier getTier() {
        return tier;
    }

    public void setTier(Tier tier) {
        this.tier = tier;
    }

    public boolean isPaid() {
        return paid;
    }

    public void setPaid(boolean paid) {
        this.paid = paid;
    }

    public double getWeight() {
        return weight;
    }

    public void setWeight(double weight) {
        this.weight = weight;
    }

    public Date getCreated() {
        return created;
    }

    public void setCreated(Date created) {
        this.created = created;
    }

    public List<Line> getLines() {
        return lines;
    }

    public void setLines(List<Line> lines) {
        this.lines = lines;
    }

    public Map<String, String> getLabels() {
        return labels;
    }

    public void setLabels(Map<String, String> labels) {
        this.labels = labels;
    }

    public Line getGift() {
        return gift;
    }

    public void setGift(Line gift) {
        this.gift = gift;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof Order)) {
            return false;
        }
        Order o = (Order) other;
        return id == o.id && Objects.equals(customer, o.customer) && tier == o.tier && paid == o.paid
                && weight == o.weight && Objects.equals(created, o.created) && Objects.equals(lines, o.lines)
                && Objects.equals(labels, o.labels) && Objects.equals(gift, o.gift);
    }

    @Override
    public int hashCode() {
        return Objects.hash(id, customer, tier, paid, weight, created, lines, labels, gift);
    }

    @Override
    public String toString() {
        return "Order(" + id + "," + customer + "," + tier + "," + paid + "," + weight + ","
                + (created == null ? null : created.getTime()) + "," + lines + "," + labels + "," + gift + ")";
    }
}
