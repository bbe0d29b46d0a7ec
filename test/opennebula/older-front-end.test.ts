// A front end of before 5.8: what it lacks, and how it says so.
import { expect } from 'chai';
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { encodeAnswer, type Answer } from '../../opennebula/documents/xml-rpc.ts';
import { createOpenNebulaProvider } from '../../opennebula/provider.ts';
import { listening } from '../helpers/listening.ts';

const VM =
  '<VM><ID>7</ID><NAME>demo-epcis-a</NAME><STATE>3</STATE><LCM_STATE>3</LCM_STATE><STIME>1500000000</STIME>' +
  '<TEMPLATE><NIC><IP>10.0.0.5</IP><NIC_ID>0</NIC_ID></NIC></TEMPLATE>' +
  '<USER_TEMPLATE><MMELIOT_GROUP>demo</MMELIOT_GROUP><MMELIOT_MARK>a</MMELIOT_MARK></USER_TEMPLATE></VM>';

const ANSWERS: Readonly<Record<string, Answer>> = {
  'one.vmpool.infoextended': { fault: { code: -506, message: "Method 'one.vmpool.infoextended' not defined" } },
  'one.vmpool.info': { value: [true, `<VM_POOL>${VM}</VM_POOL>`, 0] },
  'one.vmpool.monitoring': { fault: { code: -501, message: 'Not all of array was scanned' } },
};

describe('An OpenNebula front end of before 5.8', () => {
  let server: Server;
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  it('shows the VMs by the call that it has, without monitoring of its own', async () => {
    server = createServer((request, response) => {
      void text(request).then((body) => {
        const method = /<methodName>([^<]+)/.exec(body)?.[1] ?? '';
        response.end(encodeAnswer(ANSWERS[method] ?? { fault: { code: -506, message: method } }));
      });
    });
    const url = `http://127.0.0.1:${await listening(server)}/RPC2`;
    const login = { url, user: 'scaler', password: 'secret' };
    const deps = { now: () => 1_600_000_000_000, sleep: () => Promise.resolve() };
    const provider = createOpenNebulaProvider({ ...login, group: 'demo', template: 0, context: {} }, deps);
    try {
      expect(await provider.list()).to.deep.equal([
        {
          ...{ id: '7', mark: 'a', state: 'running', stage: 'RUNNING', createdAt: 1_500_000_000_000 },
          address: { host: '10.0.0.5', port: 8080 },
        },
      ]);
    } finally {
      await provider.close();
    }
  });
});
