// The REST door of a whole service, over its repository: what each file of the folder beside this knows of it, in this order.
import { KINDS } from '../helpers/fresh-repository.ts';
import { aboutCapture } from './epcis-rest/capture.ts';
import { document, objectEvent, openDoor } from './epcis-rest/door.ts';
import { aboutEveryResource } from './epcis-rest/every-resource.ts';
import { aboutNamedQueries } from './epcis-rest/named-queries.ts';
import { aboutQueries } from './epcis-rest/queries.ts';
import { aboutSubscriptions } from './epcis-rest/subscriptions.ts';
import { aboutTopLevelResources } from './epcis-rest/top-level-resources.ts';

for (const [kind, freshUrl] of KINDS)
  describe(`the REST door on ${kind}`, function () {
    this.timeout(60_000);
    const door = openDoor();

    before(async () => {
      await door.open(await freshUrl());
      const events = Array.from({ length: 7 }, (_, n) => objectEvent(n, { 'ex:batch': n }));
      const receiving = objectEvent(7, {
        bizStep: 'receiving',
        bizLocation: { id: 'urn:epc:id:sgln:0614141.00777.0' },
      });
      await door.capture(document([...events, receiving]));
    });
    after(() => door.close());

    aboutCapture(door);
    aboutQueries(door);
    aboutTopLevelResources(door);
    aboutEveryResource(door);
    aboutNamedQueries(door);
    aboutSubscriptions(door);
  });
