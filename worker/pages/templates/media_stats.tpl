<p class="way"><a href="{{BACK}}"><bdi>{{NAME}}</bdi></a></p>
<h1>Statistics</h1>
{{#NOTHING}}<p class="empty">Nobody has loaded this video yet. Views are counted where it is embedded, and on its own page.</p>
{{/NOTHING}}{{#COUNTED}}<nav aria-label="Days"><ul class="tabs">
{{#PERIOD}}<li>{{#HERE}}<span aria-current="page">{{NAME}}</span>{{/HERE}}{{#OTHER}}<a href="{{PATH}}">{{NAME}}</a>{{/OTHER}}</li>
{{/PERIOD}}</ul></nav>
<section aria-labelledby="all"><h2 id="all">Last {{LENGTH}} days</h2>
<dl class="numbers">
{{#NUMBER}}<div><dt>{{NAME}}</dt><dd>{{VALUE}}</dd><dd class="change">{{CHANGE}}</dd></div>
{{/NUMBER}}</dl>
<p class="meta">Compared with the {{LENGTH}} days before. Since counting began: {{ALL_PLAYS}}, {{ALL_HOURS}} hours watched.</p>
<p class="meta">A load is a player on a page, and a play is a load that was played. Engagement is the average share of the video that plays saw. A visitor is a browser at an address, on one day: it is forgotten at midnight (UTC), so no person is followed over days.</p></section>
{{>BY_DAY}}
{{#ENGAGEMENT}}<section aria-labelledby="engagement"><h2 id="engagement">Which parts are watched</h2>
{{>CURVE}}<p class="legend"><span><svg viewBox="0 0 10 10" aria-hidden="true"><path class="seen" d="M0 0h10v10h-10z"/></svg> saw it</span> <span><svg viewBox="0 0 10 10" aria-hidden="true"><path class="again" d="M0 0h10v10h-10z"/></svg> saw it more than once</span></p>
<details><summary>These parts as a table</summary>
<table class="figures"><thead><tr><th scope="col">Part</th><th scope="col">Saw it</th><th scope="col">More than once</th></tr></thead>
<tbody>
{{#PART}}<tr><th scope="row">{{FROM}} to {{TO}}</th><td>{{SEEN}}</td><td>{{AGAIN}}</td></tr>
{{/PART}}</tbody></table></details></section>
{{/ENGAGEMENT}}{{/COUNTED}}
