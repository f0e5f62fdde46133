package lavaflow.apiserver;

import java.util.List;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Between the versions of one custom kind. */
interface CustomConversion {
    /** Only the name of the version changes. */
    CustomConversion NONE = new CustomConversion() {
        @Override
        public List<ObjectNode> convert(List<ObjectNode> objects, String apiVersion) {
            objects.forEach(object -> object.put("apiVersion", apiVersion));
            return objects;
        }

        @Override
        public boolean isCheap() {
            return true;
        }
    };

    /**
     * Objects in another version, in the same order.
     *
     * @param objects in any versions but the wanted one; may be changed
     */
    List<ObjectNode> convert(List<ObjectNode> objects, String apiVersion);

    /** Whether doing it again is cheaper than remembering the result. */
    boolean isCheap();
}
