/** Who owns an object. */
export type OwnerReference = {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
};

/** The part of metav1.ObjectMeta this product reads or writes. Fields the API server sets are absent on objects not yet created. */
export type ObjectMeta = {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
};

/** An object of one of our kinds. */
export type CustomResource<ApiVersion extends string, Kind extends string, Spec, Status> = {
  apiVersion: ApiVersion;
  kind: Kind;
  metadata: ObjectMeta;
  spec: Spec;
  status?: Status;
};
