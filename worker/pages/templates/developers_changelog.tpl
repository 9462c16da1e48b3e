<h1>{{TITLE}}</h1>
<p class="lead">What is new in each version of the service, the newest first, for operators and developers.</p>
{{#VERSION}}<h2 id="version-{{NUMBER}}">{{NUMBER}}</h2>
<p class="meta">{{DATE}}</p>
<ul>
{{#CHANGE}}<li>{{TEXT}}</li>
{{/CHANGE}}</ul>
{{/VERSION}}
