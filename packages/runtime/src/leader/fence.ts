import type { ApiRequest, ApiTransport } from '#transport/api-transport.ts';
import { LeadershipLostError } from './elector.ts';

/**
 * A transport that refuses to write while its process does not lead.
 *
 * Guarantees: the question is asked at the moment of sending, so a process that was stopped and woken sends nothing, even before its timers fire.
 */
export function fenceWrites(api: ApiTransport, isLeading: () => boolean): ApiTransport {
  const guard = (request: ApiRequest): void => {
    if (request.method !== 'GET' && !isLeading())
      throw new LeadershipLostError(`${request.method} ${request.path} was not sent: this process does not lead`);
  };
  return {
    async request<T>(request: ApiRequest): Promise<T> {
      guard(request);
      return api.request<T>(request);
    },
    async exchange<T>(request: ApiRequest) {
      guard(request);
      return api.exchange<T>(request);
    },
    stream: (request) => api.stream(request),
    streamBatches: (request) => api.streamBatches(request),
  };
}
