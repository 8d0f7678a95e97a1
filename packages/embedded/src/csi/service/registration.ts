import { driverName } from './identity.ts';

/** Tells kubelet, which looks into a directory of sockets, that there is a driver and where it listens. */
export function registrationMethods(socket: string, onRefused: (sentence: string) => void) {
  return {
    getInfo: async () => ({ type: 'CSIPlugin', name: driverName, endpoint: socket, supportedVersions: ['1.0.0'] }),
    notifyRegistrationStatus: async ({ pluginRegistered, error }: { pluginRegistered: boolean; error: string }) => {
      if (!pluginRegistered) onRefused(`kubelet did not take ${driverName}: ${error}`);
      return {};
    },
  };
}
