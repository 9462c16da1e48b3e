<figure class="chart">
<figcaption>{{CAPTION}}</figcaption>
<div class="plot"><p class="scale" aria-hidden="true"><span>{{TOP}}</span><span>{{HALF}}</span><span>0</span></p>
<svg role="img" aria-label="{{LABEL}}" viewBox="0 0 {{WIDTH}} 100" preserveAspectRatio="none"><path class="grid" d="M0 0h{{WIDTH}}M0 50h{{WIDTH}}M0 100h{{WIDTH}}"/>{{#AREA}}<path class="{{CLASS}}" d="{{PATH}}"/>{{/AREA}}{{#BARS}}<path class="bars" d="{{PATH}}"/>{{/BARS}}</svg>
{{#VALUES}}<svg class="values of-{{SIZE}}" aria-hidden="true">{{#VALUE}}<g><title>{{WORDS}}</title><rect x="{{LEFT}}%" width="{{SPAN}}%" height="100%"/>{{#TEXT}}<text x="{{CENTRE}}%" y="{{HEIGHT}}%" dy="-.35em">{{NUMBER}}</text>{{/TEXT}}</g>{{/VALUE}}</svg>
{{/VALUES}}<p class="times" aria-hidden="true"><span>{{FIRST}}</span><span>{{MIDDLE}}</span><span>{{LAST}}</span></p></div>
</figure>
