<h1>{{TITLE}}</h1>
<p class="lead">Each operation of the data API at <code>{{API_HOST}}</code>. You need <a href="{{@DEVELOPER_OAUTH}}">an access token</a>, as <code>$token</code> in the commands.</p>
<p>For tools, the same is an OpenAPI 3.1 document: <a href="{{DOCUMENT_URL}}">{{DOCUMENT_URL}}</a></p>
<p><code>$media</code>, <code>$project</code> and other names stand for ids of your records: lists have them as <code>hashed_id</code>, those of projects as <code>hashedId</code>.</p>
{{#CHAPTER}}<section aria-labelledby="{{PLACE}}"><h2 id="{{PLACE}}">{{TITLE}}</h2>
{{#PARAGRAPH}}<p>{{TEXT}}</p>
{{/PARAGRAPH}}{{#CODES}}<table><thead><tr><th scope="col">Code</th><th scope="col">Status</th></tr></thead>
<tbody>
{{#CODE}}<tr><td><code>{{NAME}}</code></td><td>{{STATUS}}</td></tr>
{{/CODE}}</tbody></table>
{{/CODES}}</section>
{{/CHAPTER}}{{#GROUP}}<section aria-labelledby="{{PLACE}}"><h2 id="{{PLACE}}">{{TITLE}}</h2>
<ul class="operations">
{{#LINK}}<li><a href="#{{PLACE}}">{{SUMMARY}}</a></li>
{{/LINK}}</ul>
{{#OPERATION}}<div class="detail"><h3 id="{{PLACE}}">{{SUMMARY}}</h3>
<p><code>{{METHOD}} {{PATH}}</code></p>
{{#ABOUT}}<p>{{TEXT}}</p>
{{/ABOUT}}<p>{{#OPEN}}Without a token.{{/OPEN}}{{#ANY_SCOPE}}With a token of any scope.{{/ANY_SCOPE}}{{#SCOPES}}With {{#SEVERAL}}one of {{/SEVERAL}}the scope{{#SEVERAL}}s{{/SEVERAL}}{{#SCOPE}} <code>{{NAME}}</code>{{/SCOPE}}.{{/SCOPES}}</p>
{{CURL}}
{{#PARAMETERS}}<h4>Parameters</h4>
<dl>
{{#FIELD}}<dt><code>{{NAME}}</code>{{#MARK}} <span class="meta">{{WORDS}}</span>{{/MARK}}</dt>
<dd>{{#SAID}}{{ABOUT}} {{/SAID}}<span class="meta">{{TYPE}}</span></dd>
{{/FIELD}}</dl>
{{/PARAMETERS}}{{#BODY}}<h4>Fields of the body</h4>
<dl>
{{#FIELD}}<dt><code>{{NAME}}</code>{{#MARK}} <span class="meta">{{WORDS}}</span>{{/MARK}}</dt>
<dd>{{#SAID}}{{ABOUT}} {{/SAID}}<span class="meta">{{TYPE}}</span></dd>
{{/FIELD}}</dl>
{{/BODY}}<h4>Responses</h4>
<dl class="statuses">
{{#STATUS}}<dt><code>{{NUMBER}}</code></dt>
<dd>{{TEXT}}</dd>
{{/STATUS}}</dl></div>
{{/OPERATION}}</section>
{{/GROUP}}<section aria-labelledby="records"><h2 id="records">Records</h2>
{{#RECORD}}<div class="detail"><h3 id="{{PLACE}}">{{NAME}}</h3>
<p>{{ABOUT}}</p>
{{#FIELDS}}<dl>
{{#FIELD}}<dt><code>{{NAME}}</code>{{#MARK}} <span class="meta">{{WORDS}}</span>{{/MARK}}</dt>
<dd>{{#SAID}}{{ABOUT}} {{/SAID}}<span class="meta">{{TYPE}}</span></dd>
{{/FIELD}}</dl>
{{/FIELDS}}</div>
{{/RECORD}}</section>
