import type { ApiRequest, ApiTransport } from '#transport/api-transport.ts';
import { LeadershipLostError } from './elector.ts';

/**
 * A transport that refuses to write while its process does not lead.
 *
 * Guarantees: the question is asked at the moment of sending, and again when a throttled write is sent once more, so a process that was stopped
 * and woken sends nothing, even before its timers fire.
 */
export function fenceWrites(api: ApiTransport, isLeading: () => boolean): ApiTransport {
  const guarded = (request: ApiRequest): ApiRequest => {
    if (request.method === 'GET') return request;
    const beforeSend = (): void => {
      if (!isLeading())
        throw new LeadershipLostError(`${request.method} ${request.path} was not sent: this process does not lead`);
    };
    // At once as well, so that nothing rests on the transport below to ask.
    beforeSend();
    return { ...request, beforeSend };
  };
  return {
    request: async <T>(request: ApiRequest) => api.request<T>(guarded(request)),
    exchange: async <T>(request: ApiRequest) => api.exchange<T>(guarded(request)),
    stream: (request) => api.stream(request),
    streamBatches: (request) => api.streamBatches(request),
  };
}
