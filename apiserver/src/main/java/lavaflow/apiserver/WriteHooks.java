package lavaflow.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** What few kinds need around a write: addresses of services, finalizers that are not in metadata. */
interface WriteHooks {
    /** Something taken for a write, to be kept or given back with its result. */
    interface Reservation {
        Reservation NONE = _ -> {};

        void finish(boolean committed);
    }

    default Reservation beforeCreate(Call call, ObjectNode object) {
        return Reservation.NONE;
    }

    default Reservation beforeUpdate(Call call, ObjectNode object, ObjectNode old) {
        return Reservation.NONE;
    }

    /** Before the first look at what holds an object that is to be deleted. */
    default void beforeDelete(Call call, ObjectNode object) {}

    /** The first time an object is marked for deletion. */
    default void beginDelete(Resource resource, ObjectNode object) {}

    /** True if an object that is being deleted stays although it has no finalizers in its metadata. */
    default boolean keepsDeleted(Resource resource, ObjectNode object) {
        return false;
    }

    default void afterDelete(Resource resource, ObjectNode object) {}
}
