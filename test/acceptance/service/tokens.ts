/** The tokens of a guarded service, by the names that its tests use. */
export const env = {
  OPS: 'operator-token-0123456789',
  WALL: 'viewer-token-0123456789',
  MILL: 'tenant-token-0123456789',
  ROOF: 'client-of-a-tenant-0123456789',
  AGENT: 'client-token-0123456789',
};

export const tokens = [
  { name: 'ops', role: 'operator', tokenEnv: 'OPS' },
  { name: 'wall', role: 'viewer', tokenEnv: 'WALL' },
  { name: 'mill', role: 'operator', tokenEnv: 'MILL', tenant: 'mill' },
  { name: 'roof', role: 'client', tokenEnv: 'ROOF', tenant: 'roof' },
  { name: 'agent', role: 'client', tokenEnv: 'AGENT' },
] as const;

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
