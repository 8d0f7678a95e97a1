import type { NodeLayout } from '../layout.ts';
import { pauseImage } from '../oci/standard-images.ts';

/**
 * containerd 1.6's configuration.
 * `restrict_oom_score_adj`: a root without CAP_SYS_RESOURCE, as in many virtual machines, may not lower that score, and no pod would start.
 * `netns_mounts_under_state_dir`: network namespaces are then ours by their path, and no other runtime's are ever taken for ours.
 */
export function containerdConfig(layout: NodeLayout): string {
  return `version = 2
root = "${layout.containerdRoot}"
state = "${layout.containerdState}"
disabled_plugins = ["io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs", "io.containerd.internal.v1.opt"]

[grpc]
  address = "${layout.containerdSocket}"

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  stream_server_address = "127.0.0.1"
  stream_server_port = "0"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${layout.cni.plugins}"
    conf_dir = "${layout.cni.config}"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
`;
}
