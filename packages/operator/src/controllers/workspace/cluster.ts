/** The container clusters of a workspace. Pure. */
import { clusterDeploymentName, labels, labelValue, type WorkspaceContainerCluster } from '@terrain/api';
import { isGoing } from '#controllers/shared/removal.ts';
import { type Deployment, deploymentType, podProblem, replicaFailure } from '#platform/workload.ts';
import { pullSecretProblem } from './pull-secret.ts';
import { childOf, type Finding, no, type Snapshot, stuck, yes } from './snapshot.ts';

export const deploymentOf = (snapshot: Snapshot, { name }: WorkspaceContainerCluster): Deployment | undefined =>
  childOf<Deployment>(snapshot, deploymentType, clusterDeploymentName(name));

/** Whether the containers run, or are stopped as asked. */
export function clusterFinding(snapshot: Snapshot, cluster: WorkspaceContainerCluster, deployment: Deployment): Finding {
  if (isGoing(deployment)) return no('ContainersNotReady', 'is being deleted, and made again when it is gone');
  const { spec, status = {}, metadata } = deployment;
  const isSeen = (status.observedGeneration ?? 0) >= (metadata.generation ?? 1);
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status;
  if (isSeen && spec.replicas === 0 && replicas === 0)
    return yes(
      'Ready',
      cluster.ignoreOnDeploy === true ? 'has no replica, because ignoreOnDeploy is true' : 'is stopped as asked',
    );
  const unheld = pullSecretProblem(snapshot);
  if (isSeen && spec.replicas > 0 && replicas === spec.replicas && updatedReplicas === replicas && availableReplicas === replicas)
    return yes('Ready', unheld === undefined ? 'runs' : `runs, although ${unheld}`);
  const refusal = replicaFailure(deployment);
  if (refusal !== undefined)
    return /exceeded quota/.test(refusal) ? no('QuotaExceeded', refusal) : stuck('ContainersFailed', refusal);
  const value = labelValue(cluster.name);
  const problem = snapshot.pods
    .filter(({ metadata: { labels: own } }) => own?.[labels.containerCluster] === value)
    .map(podProblem)
    .find((words) => words !== undefined);
  if (spec.replicas > 0 && problem !== undefined)
    return unheld === undefined ? stuck('ContainersFailed', problem) : stuck('PullSecretMissing', `${problem}; ${unheld}`);
  if (spec.replicas > 0 && unheld !== undefined) return no('PullSecretMissing', unheld);
  return no('ContainersNotReady', spec.replicas === 0 ? 'is being stopped' : 'is being started');
}
