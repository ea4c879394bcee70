package demo.shop;

/** The service of the corpus. Nothing calls it; the directories only need a type. */
public interface OrderService {
    String getOrder(String id);

    String putOrder(String id);
}
